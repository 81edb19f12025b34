package io.asyncflow.console.page.task;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.Form;
import java.util.List;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The page of a task. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/tasks")
public class TaskController {

  private final Pages pages;
  private final Calls calls;

  public TaskController(Pages pages, Calls calls) {
    this.pages = pages;
    this.calls = calls;
  }

  @GetMapping("/{id}")
  public ResponseEntity<byte[]> show(Frame frame, @PathVariable String id) {
    Task task = calls.get(Task.class, "taskData", "/api/task/getTask", Map.of("taskId", id));
    List<TaskViews.DoneAct> done =
        calls.list(TaskViews.DoneAct.class, "acts", "/api/task/getActs", Map.of("taskId", id));
    return pages.show(
        frame,
        "task",
        new TaskViews.Shown(
            task,
            acts(frame, task),
            frame.may("CONTEXT_READ"),
            JsonTree.of(task.taskContext()),
            JsonTree.of(task.result()),
            JsonTree.of(task.scheduleLog()),
            done));
  }

  private static List<Act> acts(Frame frame, Task task) {
    TaskStatus status = task.taskStatus();
    boolean hasEnded = status.isFinal();
    boolean isPaused = status == TaskStatus.PAUSED;
    return List.of(
        act(frame, "TASK_RETRY", "retry", task)
            .unless(!hasEnded, "why_not.not_ended")
            .unless(status == TaskStatus.SUCCESS, "why_not.succeeded"),
        act(frame, "TASK_CANCEL", "cancel", task).unless(hasEnded, "why_not.ended").grave(),
        act(frame, "PAUSE", "pause", task)
            .unless(hasEnded, "why_not.ended")
            .unless(isPaused, "why_not.paused"),
        act(frame, "PAUSE", "resume", task).unless(!isPaused, "why_not.not_paused"),
        act(frame, "TASK_STEER", "restart", task)
            .unless(status != TaskStatus.EXECUTING, "why_not.not_executing")
            .grave(),
        act(frame, "TASK_FORCE", "set_status", task).grave().withReason());
  }

  private static Act act(Frame frame, String verb, String act, Task task) {
    return Act.of(frame, verb, "task_" + act, frame.to(path(task.taskId()) + "/" + act))
        .onSeen(task.leaseEpoch(), task.status());
  }

  private static String path(String id) {
    return "/tasks/" + id;
  }

  @PostMapping("/{id}/{act}")
  public ResponseEntity<byte[]> act(
      Frame frame,
      @PathVariable String id,
      @PathVariable String act,
      @RequestParam Map<String, String> fields) {
    Form form = new Form(fields);
    String reason = form.text("reason");
    String shown = id;
    String epoch = form.text("expected_epoch");
    String status = form.text("expected_status");
    switch (act) {
      case "resume", "restart" -> calls.call("/api/task/" + act, "taskId", id, "reason", reason);
      case "cancel" ->
          calls.call(
              "/api/task/cancel",
              "taskId",
              id,
              "expectedEpoch",
              epoch,
              "expectedStatus",
              status,
              "reason",
              reason);
      case "pause" ->
          calls.call("/api/task/pause", "taskId", id, "stop", form.text("stop"), "reason", reason);
      case "retry" -> // a task of a sealed table goes on as a copy
          shown =
              calls
                  .call(
                      "/api/task/retry",
                      "taskId",
                      id,
                      "expectedEpoch",
                      epoch,
                      "expectedStatus",
                      status,
                      "reason",
                      reason)
                  .path("taskId")
                  .asString(id);
      case "set_status" ->
          calls.call(
              "/api/task/setStatus",
              "taskId",
              id,
              "status",
              form.text("status"),
              "expectedEpoch",
              epoch,
              "expectedStatus",
              status,
              "reason",
              reason);
      default -> throw Form.noPage();
    }
    return Pages.done(frame, "task_" + act, frame.to(path(shown)));
  }
}
