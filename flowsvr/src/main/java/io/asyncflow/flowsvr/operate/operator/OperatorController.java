package io.asyncflow.flowsvr.operate.operator;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.act.ActFilter;
import io.asyncflow.api.act.ListedAct;
import io.asyncflow.api.find.SteerClient.Changes;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.ActStore;
import io.asyncflow.flowsvr.edge.act.ActStore.Place;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.row.NamedObjects;
import io.asyncflow.flowsvr.task.row.TaskAuthorization;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The calls that act on a single task; what each of them is says {@link TaskAct}. */
@RestController
@RequestMapping("/api/task")
class OperatorController {

  private static final int ACTS = 100;

  private final OperatorActs acts;
  private final ActStore recorded;
  private final TaskAuthorization reach;
  private final NamedObjects objects;

  OperatorController(
      OperatorActs acts, ActStore recorded, TaskAuthorization reach, NamedObjects objects) {
    this.acts = acts;
    this.recorded = recorded;
    this.reach = reach;
    this.objects = objects;
  }

  record ActOnSeen(
      String taskId,
      Integer expectedEpoch,
      Integer expectedStatus,
      String operator,
      String reason) {}

  record PauseTask(
      String taskId,
      Integer stop,
      Integer expectedEpoch,
      Integer expectedStatus,
      String operator,
      String reason) {}

  record Reschedule(
      String taskId,
      Long runAt,
      Long delayMs,
      Integer priority,
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

  record ExpireLease(String taskId, Integer leaseEpoch, String operator, String reason) {}

  record Clone(
      String taskId,
      String taskStage,
      String taskContext,
      Integer priority,
      Long runAt,
      String userId,
      String idempotencyKey,
      String operator,
      String reason) {}

  record GetActs(String taskId) {}

  record NewTaskId(String taskId) {}

  /**
   * An act on a task, as all see it who may see the task.
   *
   * @param time epoch ms
   * @param actor whom the server took the caller for
   * @param operator in whose name, as the caller said
   * @param newTaskId the copy that a retry made; {@code null} if it made none
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record AuditEntry(
      long time,
      String act,
      String taskId,
      String actor,
      String operator,
      String reason,
      Integer statusBefore,
      Integer statusAfter,
      String newTaskId) {}

  record Acts(List<AuditEntry> acts) {}

  @Takes(summary = "Cancels a task, and tells its holder", shape = ActOnSeen.class)
  @Needs(Verb.TASK_CANCEL)
  @PostMapping("/cancel")
  Envelope<Void> cancel(Fields in, Caller caller) {
    return act(TaskAct.CANCEL, in, caller);
  }

  @Takes(summary = "Runs a failed or cancelled task again from its stage", shape = ActOnSeen.class)
  @Needs(Verb.TASK_RETRY)
  @PostMapping("/retry")
  Envelope<NewTaskId> retry(Fields in, Caller caller) {
    return Envelope.ok(new NewTaskId(done(TaskAct.RETRY, in, caller).toString()));
  }

  @Takes(summary = "Pauses a task; stop=1 ends its hold", shape = PauseTask.class)
  @Needs(Verb.PAUSE)
  @PostMapping("/pause")
  Envelope<Void> pause(Fields in, Caller caller) {
    in.refuseMisplaced("until", "a task is paused until it is resumed");
    return act(TaskAct.PAUSE, in, caller);
  }

  @Takes(summary = "Lets a paused task wait again", shape = ActOnSeen.class)
  @Needs(Verb.PAUSE)
  @PostMapping("/resume")
  Envelope<Void> resume(Fields in, Caller caller) {
    return act(TaskAct.RESUME, in, caller);
  }

  @Takes(summary = "Makes a task due now that would be later", shape = ActOnSeen.class)
  @Needs(Verb.TASK_STEER)
  @PostMapping({"/runNow", "/run_now"})
  Envelope<Void> runNow(Fields in, Caller caller) {
    return act(TaskAct.RUN_NOW, in, caller);
  }

  @Takes(
      summary = "Changes when a waiting task is due, or how urgent it is",
      shape = Reschedule.class)
  @Needs(Verb.TASK_STEER)
  @PostMapping("/reschedule")
  Envelope<Void> reschedule(Fields in, Caller caller) {
    return act(TaskAct.RESCHEDULE, in, caller);
  }

  @Takes(summary = "Forces a status, for a reason", shape = SetStatus.class)
  @Needs(Verb.TASK_FORCE)
  @PostMapping({"/setStatus", "/set_status"})
  Envelope<Void> setStatus(Fields in, Caller caller) {
    return act(TaskAct.SET_STATUS, in, caller);
  }

  @Takes(summary = "Sets which workers may hold a task", shape = SetWorkers.class)
  @Needs(Verb.TASK_STEER)
  @PostMapping({"/setWorkers", "/set_workers"})
  Envelope<Void> setWorkers(Fields in, Caller caller) {
    return act(TaskAct.SET_WORKERS, in, caller);
  }

  @Takes(summary = "Ends the hold of an executing task, which waits again", shape = ActOnSeen.class)
  @Needs(Verb.TASK_STEER)
  @PostMapping("/restart")
  Envelope<Void> restart(Fields in, Caller caller) {
    return act(TaskAct.RESTART, in, caller);
  }

  @Takes(summary = "Ends the lease of an executing task before its time", shape = ExpireLease.class)
  @Needs(Verb.TASK_EXPIRE)
  @PostMapping({"/expireLease", "/expire_lease"})
  Envelope<Void> expireLease(Fields in, Caller caller) {
    return act(TaskAct.EXPIRE_LEASE, in, caller);
  }

  private Envelope<Void> act(TaskAct act, Fields in, Caller caller) {
    done(act, in, caller);
    return Envelope.done();
  }

  private TaskId done(TaskAct act, Fields in, Caller caller) {
    TaskId id = TaskFields.taskId(in);
    Arguments with = Arguments.read(act, in);
    Expected expected = Expected.read(act, in);
    Reason why = act.needsReason() ? Reason.readRequired(in) : Reason.read(in);
    in.refuseIfBad();
    return acts.act(reach.require(id, caller), act, with, expected, why);
  }

  @Takes(summary = "Makes a new task like this one", shape = Clone.class)
  @Needs(Verb.TASK_STEER)
  @PostMapping("/clone")
  Envelope<NewTaskId> clone(Fields in, Caller caller) {
    TaskId id = TaskFields.writtenTask(in);
    Changes changes =
        new Changes(
            in.text("taskStage").name().max(TaskLimits.STAGE).value(),
            TaskFields.taskContext(in),
            TaskFields.priority(in),
            TaskFields.runAt(in),
            in.text("userId").name().max(TaskLimits.USER_ID).value(),
            in.text("idempotencyKey").ascii().max(TaskLimits.IDEMPOTENCY_KEY).value());
    in.refuseMisnomer("context", "taskContext");
    Stream.of("userId", "taskStage", "idempotencyKey")
        .filter(in::has)
        .filter(in::isNull)
        .forEach(name -> in.refuse(name, "must not be empty"));
    Reason why = Reason.read(in);
    in.refuseIfBad();
    String context = changes.taskContext();
    if (changes.userId() != null || changes.taskStage() != null || context != null) {
      caller.require(Verb.TASK_CREATE); // it does other work, or does it for another user
    }
    reach.require(id, caller);
    if (changes.userId() != null) {
      caller.requireUser(changes.userId());
    }
    objects.require(Stream.ofNullable(context), id, caller);
    TaskId clone = acts.clone(id, changes, caller.scope().users(), why);
    return Envelope.ok(new NewTaskId(clone.toString()));
  }

  @Takes(summary = "What operators did to a task, newest first", shape = GetActs.class)
  @Needs(Verb.TASK_READ)
  @GetOrPost({"/getActs", "/get_acts"})
  Envelope<Acts> getActs(Fields in, Caller caller) {
    TaskId id = TaskFields.taskId(in);
    in.refuseIfBad();
    String object = Act.objectOf(reach.require(id, caller));
    List<ListedAct> found = recorded.list(ActFilter.onObject(object), Place.NEWEST, ACTS);
    if (found.isEmpty() && !reach.exists(id)) { // acts may outlive the task
      throw new TaskNotFoundException(id);
    }
    return Envelope.ok(new Acts(found.stream().map(OperatorController::entry).toList()));
  }

  private static AuditEntry entry(ListedAct act) {
    return new AuditEntry(
        act.time(),
        act.act(),
        act.taskId(),
        act.actor(),
        act.operator(),
        act.reason(),
        act.statusBefore(),
        act.statusAfter(),
        act.newTaskId());
  }
}
