package io.asyncflow.flowsvr.operator;

import static org.springframework.web.bind.annotation.RequestMethod.GET;
import static org.springframework.web.bind.annotation.RequestMethod.POST;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.task.TaskReach;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import io.asyncflow.rules.TaskAct;
import io.asyncflow.rules.TaskAct.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.field.TaskFields;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task")
class OperatorController {

  private static final int ACTS = 100;

  private final OperatorActs acts;
  private final TaskReach reach;

  OperatorController(OperatorActs acts, TaskReach reach) {
    this.acts = acts;
    this.reach = reach;
  }

  record PauseTask(
      String taskId,
      Integer stop,
      Integer expectedEpoch,
      Integer expectedStatus,
      String operator,
      String reason) {}

  record ActOnSeen(
      String taskId,
      Integer expectedEpoch,
      Integer expectedStatus,
      String operator,
      String reason) {}

  record SetStatus(
      String taskId,
      Integer status,
      Integer expectedEpoch,
      Integer expectedStatus,
      String operator,
      String reason) {}

  record SetWorkers(String taskId, List<String> workerIds, String operator, String reason) {}

  record GetActs(String taskId) {}

  record Retried(String taskId) {}

  record Acts(List<AuditEntry> acts) {}

  @Takes(summary = "Cancels a task, and tells its holder", shape = ActOnSeen.class)
  @Needs(Verb.TASK_CANCEL)
  @PostMapping("/cancel")
  Envelope<Void> cancel(Fields in, Caller caller) {
    TaskId id = TaskFields.taskId(in);
    Expected expected = Expected.read(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    acts.cancel(reach.require(id, caller), expected, why);
    return Envelope.ok(null);
  }

  @Takes(summary = "Runs a failed or cancelled task again from its stage", shape = ActOnSeen.class)
  @Needs(Verb.TASK_RETRY)
  @PostMapping("/retry")
  Envelope<Retried> retry(Fields in, Caller caller) {
    TaskId id = TaskFields.taskId(in);
    Expected expected = Expected.read(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    TaskId retried = acts.retry(reach.require(id, caller), expected, why);
    return Envelope.ok(new Retried(retried.toString()));
  }

  @Takes(summary = "Pauses a task; stop=1 ends its hold", shape = PauseTask.class)
  @Needs(Verb.PAUSE)
  @PostMapping("/pause")
  Envelope<Void> pause(Fields in, Caller caller) {
    TaskId id = TaskFields.taskId(in);
    boolean stop = in.number("stop").between(0, 1).or(0) == 1;
    in.refuseMisplaced("until", "a task is paused until it is resumed");
    Expected expected = Expected.read(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    acts.act(reach.require(id, caller), TaskAct.PAUSE, Arguments.stopping(stop), expected, why);
    return Envelope.done();
  }

  @Takes(summary = "Lets a paused task wait again", shape = ActOnSeen.class)
  @Needs(Verb.PAUSE)
  @PostMapping("/resume")
  Envelope<Void> resume(Fields in, Caller caller) {
    TaskId id = TaskFields.taskId(in);
    Expected expected = Expected.read(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    acts.act(reach.require(id, caller), TaskAct.RESUME, Arguments.NONE, expected, why);
    return Envelope.done();
  }

  @Takes(summary = "Forces a status, for a reason", shape = SetStatus.class)
  @Needs(Verb.TASK_FORCE)
  @PostMapping({"/setStatus", "/set_status"})
  Envelope<Void> setStatus(Fields in, Caller caller) {
    TaskId id = TaskFields.taskId(in);
    TaskStatus status =
        in.text("status").required().as(OperatorController::status, "must be 1, 4, 8 or 16");
    Expected expected = Expected.read(in);
    Reason why = Reason.readRequired(in);
    in.refuseIfBad();
    acts.act(
        reach.require(id, caller), TaskAct.SET_STATUS, Arguments.status(status), expected, why);
    return Envelope.ok(null);
  }

  @Takes(summary = "Sets which workers may hold a task", shape = SetWorkers.class)
  @Needs(Verb.TASK_STEER)
  @PostMapping({"/setWorkers", "/set_workers"})
  Envelope<Void> setWorkers(Fields in, Caller caller) {
    TaskId id = TaskFields.taskId(in);
    Set<String> workers = TaskFields.assignedWorkers(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    acts.setWorkers(reach.require(id, caller), workers, why);
    return Envelope.ok(null);
  }

  @Takes(summary = "Ends the hold of an executing task, which waits again", shape = ActOnSeen.class)
  @Needs(Verb.TASK_STEER)
  @PostMapping("/restart")
  Envelope<Void> restart(Fields in, Caller caller) {
    TaskId id = TaskFields.taskId(in);
    Expected expected = Expected.read(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    acts.act(reach.require(id, caller), TaskAct.RESTART, Arguments.NONE, expected, why);
    return Envelope.ok(null);
  }

  @Takes(summary = "What operators did to a task, newest first", shape = GetActs.class)
  @Needs(Verb.TASK_READ)
  @RequestMapping(
      path = {"/getActs", "/get_acts"},
      method = {GET, POST})
  Envelope<Acts> getActs(Fields in, Caller caller) {
    TaskId id = TaskFields.taskId(in);
    in.refuseIfBad();
    return Envelope.ok(new Acts(acts.actsOn(reach.require(id, caller), ACTS)));
  }

  private static Optional<TaskStatus> status(String code) {
    return switch (code) {
      case "1" -> Optional.of(TaskStatus.WAITING);
      case "4" -> Optional.of(TaskStatus.SUCCESS);
      case "8" -> Optional.of(TaskStatus.FAILED);
      case "16" -> Optional.of(TaskStatus.CANCELLED);
      default -> Optional.empty();
    };
  }
}
