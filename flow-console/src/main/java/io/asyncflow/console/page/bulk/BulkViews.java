package io.asyncflow.console.page.bulk;

import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.api.bulk.BulkPreview;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.BoundedCount.Kind;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.Bar;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What the templates of bulks show. */
public final class BulkViews {

  private static final String WORDS = "q";

  private BulkViews() {}

  /**
   * @param older the address of the next page; {@code null} on the last
   */
  public record Listed(List<Bulk> bulks, String older) {}

  /** A bulk and what can be done about it. */
  public record Shown(Bulk bulk, Bar bar, List<Act> acts) {}

  /**
   * A bulk that has not started.
   *
   * @param asked what the form says
   * @param preview {@code null} if nothing was asked for, or if it was refused
   * @param refusal why; {@code null} if it was not
   */
  public record Fresh(Asked asked, BulkPreview preview, String refusal) {}

  /**
   * The fields of the form, as texts; empty where nothing is given.
   *
   * @param runAt in the time zone of the operator
   */
  public record Asked(String q, String act, String status, String runAt, String priority) {

    static Asked of(Visit visit) {
      return new Asked(
          visit.text("q"),
          visit.text("act"),
          visit.text("status"),
          visit.text("run_at"),
          visit.text("priority"));
    }

    /** Where the form is filled in as it was sent. */
    String address(Visit visit) {
      Object[] query = {
        "q", q, "act", act, "status", status, "run_at", runAt, "priority", priority
      };
      return visit.to("/bulk/new", query);
    }
  }

  /** The search, as an operator would type it. */
  public static String search(Map<String, Object> filter) {
    String words = String.valueOf(filter.getOrDefault(WORDS, ""));
    String others =
        filter.entrySet().stream()
            .filter(field -> !field.getKey().equals(WORDS))
            .map(field -> field.getKey() + "=" + field.getValue())
            .sorted()
            .collect(Collectors.joining(" "));
    return (words + " " + others).strip();
  }

  /** A count with how exact it is. */
  public static String count(Frame frame, BoundedCount count) {
    return (count.kind() == Kind.EXACT ? "" : "≥ ") + frame.number(count.count());
  }

  /** Whether it has ended at its cap, and has not handled all tasks that there are, or may be. */
  public static boolean hasLeftTasks(Bulk bulk) {
    boolean hasMore = bulk.count().kind() != Kind.EXACT || bulk.count().count() > Bar.handled(bulk);
    return hasMore && bulk.state() == BulkState.DONE && bulk.done() >= bulk.cap();
  }

  /** What a preview says of the cap; {@code null} if the cap is out of reach. */
  public static String aboutCap(Frame frame, BulkPreview preview) {
    if (preview.count().count() > preview.cap()) {
      return cap(frame, "bulk.over_cap", preview.cap());
    }
    return preview.count().kind() == Kind.EXACT ? null : cap(frame, "bulk.may_cap", preview.cap());
  }

  /** A sentence about the cap, and whose is higher. */
  public static String cap(Frame frame, String key, int cap) {
    boolean isHighest = frame.operator().roles().contains("ADMIN");
    return frame.t(key, cap) + (isHighest ? "" : frame.t("bulk.cap.admin"));
  }

  /** The act with the number of its tasks, as the button says it that starts it. */
  public static String start(Frame frame, BulkPreview preview) {
    String key = "bulk.do." + preview.act();
    long count = preview.count().count();
    boolean isExact = preview.count().kind() == Kind.EXACT;
    if (isExact && count <= preview.cap()) {
      return frame.t(key, count);
    }
    return frame.t(
        key,
        count < preview.cap()
            ? count(frame, preview.count())
            : frame.t("bulk.up_to", preview.cap()));
  }

  /** Whether the act ends or takes away something, or can do so. */
  public static boolean isGrave(BulkAct act) {
    return switch (act) {
      case CANCEL, SET_STATUS, EXPIRE_LEASE -> true;
      case RETRY, RUN_NOW, RESCHEDULE, PAUSE, RESUME -> false;
    };
  }

  /** The act in a few words. */
  public static String act(Frame frame, Enum<?> act, BulkArguments with) {
    String word = frame.word("bulk.act.", act.name());
    if (with == null) {
      return word;
    }
    if (with.status() != null) {
      return word + ": " + frame.word("bulk.status.", with.status().toString());
    }
    if (with.runAt() != null) {
      return word + ": " + frame.times().text(with.runAt()) + " " + frame.zoneName();
    }
    return with.priority() == null
        ? word
        : word + ": " + frame.t("bulk.priority", frame.amounts().seconds(with.priority()));
  }

  /** The kind of status that colours a state. */
  public static String kind(BulkState state) {
    return switch (state) {
      case PREVIEWED -> "waiting";
      case RUNNING -> "executing";
      case STOPPED -> "paused";
      case DONE -> "success";
      case FAILED -> "failed";
    };
  }
}
