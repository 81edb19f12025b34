package io.asyncflow.console.page.task;

import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.find.FindClient;
import io.asyncflow.api.find.HistoryEntry;
import io.asyncflow.api.find.Why;
import io.asyncflow.console.frame.Form;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.Act;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** The page of a task. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}")
public class TaskController {

  private static final long MINUTE = 60_000;
  private static final int MISSING = 404;

  private record Done(String taskId) {}

  @GetMapping("/tasks/{id}")
  public ResponseEntity<byte[]> show(Visit visit, @PathVariable String id) {
    TaskReading reading = new TaskReading(visit, id);
    Task task;
    try {
      task = reading.task();
    } catch (FlowException refused) {
      if (refused.errorCode() != ErrorCode.NO_SUCH_TASK) {
        throw refused;
      }
      return visit.show("gone", reading.gone(refused.getMessage()), MISSING);
    }
    Why why = reading.why();
    String type = task.taskType().toLowerCase(Locale.ROOT);
    return visit.show(
        "task",
        new Shown(
            task,
            TaskActs.of(visit.frame(), task, why),
            why == null ? null : WhyView.of(visit.frame(), why, type),
            reading.past(task),
            reading.files(),
            reading.contents(task),
            reading.done(),
            curl(visit.frame(), task.taskId())));
  }

  private static List<String> curl(Frame frame, String id) {
    return Stream.of("getTask", "why", "history", "getActs")
        .map(call -> frame.curl("/api/task/" + call + "?taskId=" + id))
        .toList();
  }

  /** A child of a job, which may be no task yet. */
  @GetMapping("/jobs/{jobId}/children/{index}")
  public ResponseEntity<byte[]> child(
      Visit visit, @PathVariable String jobId, @PathVariable int index) {
    Why why = new FindClient(visit.api()).whyOfChild(jobId, index);
    return why.taskId() == null
        ? visit.show("child", new Child(jobId, index, WhyView.of(visit.frame(), why, "")))
        : visit.goTo(path(why.taskId()));
  }

  private static String path(String id) {
    return "/tasks/" + id;
  }

  @PostMapping("/tasks/{id}/{act}")
  public ResponseEntity<byte[]> perform(
      Visit visit, @PathVariable String id, @PathVariable String act) {
    Call<Done> call = act.equals("clone") ? clone(visit, id) : call(visit, act);
    Done done = visit.send(call.with("taskId", id).with("reason", visit.form().given("reason")));
    // A clone is another task, and a task of a sealed table is retried by a copy.
    boolean isAnother = done != null && done.taskId() != null;
    return visit.done("task_" + act, path(isAnother ? done.taskId() : id));
  }

  /** An act is refused if the task has moved on since its page was read. */
  private static Call<Done> call(Visit visit, String word) {
    TaskAct act =
        Stream.of(TaskAct.values())
            .filter(each -> each.word().equals(word))
            .findFirst()
            .orElseThrow(Form::noPage);
    Form form = visit.form();
    boolean endsLease = act == TaskAct.EXPIRE_LEASE;
    return Call.to(act.path(), Done.class)
        .with("stop", form.given("stop"))
        .with("status", form.given("status"))
        .with("runAt", form.time(visit.frame(), "runAt"))
        .with("delayMs", delayMs(form))
        .with("priority", form.given("priority"))
        .with(endsLease ? "leaseEpoch" : "expectedEpoch", form.given("expected_epoch"))
        .with("expectedStatus", endsLease ? null : form.given("expected_status"));
  }

  private static Long delayMs(Form form) {
    String minutes = form.given("delay");
    if (minutes == null) {
      return null;
    }
    if (!minutes.matches("[0-9]{1,7}")) {
      throw new FlowException(ErrorCode.INVALID_INPUT, "delay is not a number of minutes");
    }
    return Long.parseLong(minutes) * MINUTE;
  }

  /** What was not changed in the form is not sent, so that the copy keeps what it names. */
  private static Call<Done> clone(Visit visit, String id) {
    Task task = new TaskReading(visit, id).task();
    String context = visit.form().request().getParameter("taskContext");
    return Call.to("/api/task/clone", Done.class)
        .with("taskStage", changed(visit.text("taskStage"), task.taskStage()))
        .with("userId", changed(visit.text("userId"), task.userId()))
        .with("priority", changed(visit.text("priority"), String.valueOf(task.priority())))
        .with("runAt", visit.form().time(visit.frame(), "runAt"))
        .with(
            "taskContext",
            context == null ? null : changed(lines(context), lines(task.taskContext())));
  }

  private static String changed(String sent, String before) {
    return sent.isEmpty() || sent.equals(before) ? null : sent;
  }

  /** Browsers send the ends of lines as HTTP has them. */
  private static String lines(String text) {
    return text == null ? "" : text.replace("\r\n", "\n");
  }

  /**
   * @param why {@code null} if it cannot be told at the moment
   * @param past {@code null} if it cannot be told at the moment
   * @param files {@code null} if the store does not answer
   * @param contents {@code null} if the operator may not read context, result and log
   * @param done what operators did to it, newest first
   * @param curl calls of the API to copy
   */
  public record Shown(
      Task task,
      List<Act> acts,
      WhyView why,
      Past past,
      List<StoredFile> files,
      Contents contents,
      List<DoneAct> done,
      List<String> curl) {}

  /**
   * What happened to a task.
   *
   * @param hasGaps whether earlier holds are not known any more
   */
  public record Past(Timeline timeline, List<HistoryEntry> entries, boolean hasGaps) {}

  /**
   * What a task was given and left behind.
   *
   * @param toEdit the context where a copy may have another one; {@code null} where it may not
   */
  public record Contents(JsonTree context, JsonTree result, JsonTree log, String toEdit) {}

  /** An act, as {@code task/getActs} answers it. */
  public record DoneAct(
      long time,
      String act,
      String actor,
      String operator,
      String reason,
      Integer statusBefore,
      Integer statusAfter,
      String newTaskId) {}

  /**
   * A task that is not there.
   *
   * @param said why, as the server says it
   * @param table of its id; empty if it is no id
   * @param tables those of its type that there are; empty if they are not known
   * @param retentionDays for which drained tables are kept; {@code null} if it is not known
   * @param done what operators did to it, which outlives it
   */
  public record Gone(
      String id,
      String said,
      String type,
      String table,
      List<String> tables,
      Integer retentionDays,
      List<DoneAct> done) {}

  /** A child of a job that is no task yet. */
  public record Child(String jobId, int index, WhyView why) {}
}
