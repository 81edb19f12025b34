package io.asyncflow.console.page.task;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.find.Why;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.page.Form;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The page of a task. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}")
public class TaskController {

  private static final long MINUTE = 60_000;
  private static final int MISSING = 404;

  private final Pages pages;
  private final Calls calls;
  private final TaskReading reading;

  public TaskController(Pages pages, Calls calls, TaskReading reading) {
    this.pages = pages;
    this.calls = calls;
    this.reading = reading;
  }

  @GetMapping("/tasks/{id}")
  public ResponseEntity<byte[]> show(Frame frame, @PathVariable String id) {
    Task task;
    try {
      task = reading.task(id);
    } catch (FlowException refused) {
      if (refused.errorCode() != ErrorCode.NO_SUCH_TASK) {
        throw refused;
      }
      return pages.show(frame, "gone", reading.gone(frame, id, refused.getMessage()), MISSING);
    }
    Why why = reading.why(id);
    return pages.show(
        frame,
        "task",
        new TaskViews.Shown(
            task,
            TaskActs.of(frame, task, why),
            reading.words(frame, why, task),
            reading.past(task),
            reading.files(id),
            reading.contents(frame, task),
            reading.done(id),
            curl(frame, task.taskId())));
  }

  private static List<String> curl(Frame frame, String id) {
    return Stream.of("getTask", "why", "history", "getActs")
        .map(call -> frame.curl("/api/task/" + call + "?taskId=" + id))
        .toList();
  }

  /** A child of a job, which may be no task yet. */
  @GetMapping("/jobs/{jobId}/children/{index}")
  public ResponseEntity<byte[]> child(
      Frame frame, @PathVariable String jobId, @PathVariable int index) {
    Why why = calls.get(Why.class, "why", "/api/task/why", Map.of("jobId", jobId, "index", index));
    return why.taskId() == null
        ? pages.show(frame, "child", new TaskViews.Child(jobId, index, WhyView.of(frame, why, "")))
        : Pages.goTo(frame.to(path(why.taskId())));
  }

  private static String path(String id) {
    return "/tasks/" + id;
  }

  @PostMapping("/tasks/{id}/{act}")
  public ResponseEntity<byte[]> act(
      Frame frame,
      @PathVariable String id,
      @PathVariable String act,
      @RequestParam Map<String, String> fields) {
    Form form = new Form(fields);
    Map<String, Object> sent;
    String call;
    if (act.equals("clone")) {
      sent = changes(frame, reading.task(id), form);
      call = "/api/task/clone";
    } else {
      TaskAct asked =
          Stream.of(TaskAct.values())
              .filter(each -> each.word().equals(act))
              .findFirst()
              .orElseThrow(Form::noPage);
      sent = arguments(frame, asked, form);
      call = asked.path();
    }
    sent.putAll(Calls.fields("taskId", id, "reason", form.text("reason")));
    // A clone is another task, and a task of a sealed table is retried by a copy.
    String shown = calls.call(call, sent).path("taskId").asString(id);
    return Pages.done(frame, "task_" + act, frame.to(path(shown)));
  }

  /** An act is refused if the task has moved on since its page was read. */
  private static Map<String, Object> arguments(Frame frame, TaskAct act, Form form) {
    boolean endsLease = act == TaskAct.EXPIRE_LEASE;
    return Calls.fields(
        "stop",
        form.text("stop"),
        "status",
        form.text("status"),
        "runAt",
        form.time(frame, "runAt"),
        "delayMs",
        delayMs(form),
        "priority",
        form.text("priority"),
        endsLease ? "leaseEpoch" : "expectedEpoch",
        form.text("expected_epoch"),
        "expectedStatus",
        endsLease ? null : form.text("expected_status"));
  }

  private static Long delayMs(Form form) {
    String minutes = form.text("delay");
    if (minutes.isEmpty()) {
      return null;
    }
    if (!minutes.matches("[0-9]{1,7}")) {
      throw new FlowException(ErrorCode.INVALID_INPUT, "delay is not a number of minutes");
    }
    return Long.parseLong(minutes) * MINUTE;
  }

  /** What was not changed in the form is not sent, so that the copy keeps what it names. */
  private static Map<String, Object> changes(Frame frame, Task task, Form form) {
    String context = form.fields().get("taskContext");
    return Calls.fields(
        "taskStage",
        changed(form.text("taskStage"), task.taskStage()),
        "userId",
        changed(form.text("userId"), task.userId()),
        "priority",
        changed(form.text("priority"), String.valueOf(task.priority())),
        "runAt",
        form.time(frame, "runAt"),
        "taskContext",
        context == null ? null : changed(lines(context), lines(task.taskContext())));
  }

  private static String changed(String sent, String before) {
    return sent.equals(before) ? null : sent;
  }

  /** Browsers send the ends of lines as HTTP has them. */
  private static String lines(String text) {
    return text == null ? "" : text.replace("\r\n", "\n");
  }
}
