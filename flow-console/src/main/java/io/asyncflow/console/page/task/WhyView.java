package io.asyncflow.console.page.task;

import io.asyncflow.api.find.Why;
import io.asyncflow.api.find.WhyReason;
import io.asyncflow.console.frame.Frame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Why a task does not run, in the words of the operator.
 *
 * @param isNext whether it is due, and no task of its stage stands before it
 */
public record WhyView(List<Line> lines, boolean isNext) {

  /** What a value of a reason is, which decides how it is shown. */
  public enum Kind {
    TIME,
    WORKER,
    JOB,
    SCHEDULE,
    TASK,
    TEXT
  }

  /**
   * A reason.
   *
   * @param sentence in the operator's language; the server's own for a code that is not known
   * @param todo what helps; empty if nothing need be done
   * @param place where that is done; {@code null} if it is done on this page, or where the operator
   *     may not look
   */
  public record Line(
      String code,
      boolean isBlocking,
      String sentence,
      List<Detail> details,
      String todo,
      String place) {}

  /** A value that was seen, with its name. */
  public record Detail(String name, Kind kind, List<Item> items) {}

  /**
   * @param ms epoch ms of a time; otherwise {@code null}
   */
  public record Item(String text, Long ms) {}

  private static final Map<String, Kind> KINDS =
      byWord(
          Map.of(
              Kind.TIME,
              "dueAt fireTime since nextAt leaseUntil hardEnd endedAt lastSweep until",
              Kind.WORKER,
              "lost draining others workerIds alive workers worker",
              Kind.JOB,
              "jobId",
              Kind.SCHEDULE,
              "scheduleId",
              Kind.TASK,
              "copies"));

  /** Numbers that a sentence has itself. */
  private static final Map<String, List<String>> ARGUMENTS =
      Map.ofEntries(
          Map.entry("BACKOFF", List.of("attempt", "of")),
          Map.entry("LIMIT_EXECUTING", List.of("executing", "limit")),
          Map.entry("LIMIT_RATE", List.of("perSecond")),
          Map.entry("UNLISTED_POLLERS", List.of("heldLast2Min")),
          Map.entry("WORKER_TOO_OLD", List.of("minVersion")),
          Map.entry("HANDLERS_STUCK", List.of("stuck")),
          Map.entry("BEHIND", List.of("ahead")),
          Map.entry("JOB_WINDOW", List.of("inFlight", "window")),
          Map.entry("FAILED_FINAL", List.of("attempts")),
          Map.entry("QUEUED_AT_WORKER", List.of("queued")));

  /** Where what helps is done; {@code *} stands for the type, {@code +} for the job. */
  private static final Map<String, String> PLACES =
      byWord(
          Map.of(
              "/workers",
              "START_WORKER ADD_WORKERS LABEL_WORKER UPGRADE_WORKER RESUME_WORKER CHECK_DEVICE"
                  + " RESTART_WORKER",
              "/types/*",
              "RESUME_TYPE RAISE_LIMIT",
              "/jobs/+",
              "OPEN_JOB RESUME_JOB",
              "/cluster",
              "CHECK_GOVERNANCE"));

  private static <T> Map<String, T> byWord(Map<T, String> words) {
    Map<String, T> byWord = new HashMap<>();
    words.forEach((value, all) -> Stream.of(all.split(" ")).forEach(w -> byWord.put(w, value)));
    return byWord;
  }

  /**
   * @param type of the task; empty if it is not known
   */
  static WhyView of(Frame frame, Why why, String type) {
    return new WhyView(
        why.reasons().stream().map(reason -> line(frame, why, reason, type)).toList(),
        why.ahead() != null && why.ahead().count() == 0);
  }

  private static Line line(Frame frame, Why why, WhyReason reason, String type) {
    Map<String, Object> data = reason.data() == null ? Map.of() : reason.data();
    List<String> arguments = ARGUMENTS.getOrDefault(reason.code(), List.of());
    boolean isKnown =
        !frame.word("why.", reason.code()).equals(reason.code())
            && arguments.stream().allMatch(data::containsKey);
    List<Detail> details = new ArrayList<>();
    data.forEach(
        (name, value) -> {
          if (!(isKnown && arguments.contains(name))) {
            add(details, frame, why, name, value);
          }
        });
    String todo = reason.todo() == null ? "" : frame.word("why.todo.", reason.todo());
    return new Line(
        reason.code(),
        reason.blocking(),
        isKnown
            ? frame.t(
                "why." + reason.code(),
                arguments.stream()
                    .map(name -> argument(frame, why, name, data.get(name)))
                    .toArray())
            : reason.text(),
        details,
        todo,
        place(frame, reason, data, type));
  }

  /** A number that was counted to a limit says so. */
  private static Object argument(Frame frame, Why why, String name, Object value) {
    return name.equals("ahead") && why.ahead() != null ? frame.amounts().count(why.ahead()) : value;
  }

  private static void add(List<Detail> details, Frame frame, Why why, String name, Object value) {
    String label = frame.word("why.data.", name);
    if (name.equals("beatAge") && value instanceof Number age) {
      long beat = (why.checkedAt() - age.longValue()) / 1_000 * 1_000;
      details.add(new Detail(frame.t("why.data.beat"), Kind.TIME, List.of(new Item("", beat))));
      return;
    }
    if (name.equals("dueForMs")) {
      return; // it would make a page with nothing new another page, and the due time stands there
    }
    Kind kind = KINDS.getOrDefault(name, Kind.TEXT);
    List<Item> items =
        (value instanceof List<?> several ? several : List.of(value))
            .stream().map(each -> item(frame, name, kind, each)).toList();
    if (!items.isEmpty()) {
      details.add(new Detail(label, kind, items));
    }
  }

  private static Item item(Frame frame, String name, Kind kind, Object value) {
    if (kind == Kind.TIME && value instanceof Number ms) {
      return new Item("", ms.longValue());
    }
    if (name.equals("priority") && value instanceof Number seconds) {
      return new Item(frame.amounts().seconds(seconds.longValue()), null);
    }
    if (value instanceof Number number) {
      return new Item(frame.number(number), null);
    }
    String text = String.valueOf(value);
    return new Item(
        switch (name) {
          case "verdict" -> frame.word("history.", text);
          case "state" -> frame.word("job.state.", text);
          default -> text;
        },
        null);
  }

  private static String place(
      Frame frame, WhyReason reason, Map<String, Object> data, String type) {
    String path = reason.todo() == null ? null : PLACES.get(reason.todo());
    if (path == null || path.endsWith("*") && type.isEmpty()) {
      return null;
    }
    if (path.equals("/workers") && !frame.may("WORKER_READ")
        || path.equals("/cluster") && !frame.may("GOVERN_READ")) {
      return null;
    }
    if (path.endsWith("+") && !data.containsKey("jobId")) {
      return null;
    }
    return frame.to(
        path.replace("*", type).replace("+", String.valueOf(data.getOrDefault("jobId", ""))));
  }
}
