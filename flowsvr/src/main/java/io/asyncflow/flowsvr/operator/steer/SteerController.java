package io.asyncflow.flowsvr.operator.steer;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.operator.CloneActs;
import io.asyncflow.flowsvr.operator.Expected;
import io.asyncflow.flowsvr.operator.OperatorActs;
import io.asyncflow.flowsvr.task.NamedObjects;
import io.asyncflow.flowsvr.task.TaskReach;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import io.asyncflow.rules.TaskAct;
import io.asyncflow.rules.TaskAct.Arguments;
import io.asyncflow.rules.TaskAct.NewDue;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import java.util.stream.Stream;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task")
class SteerController {

  private static final long TEN_YEARS_MS = 3_650L * 86_400_000;

  private final OperatorActs acts;
  private final CloneActs clones;
  private final TaskReach reach;
  private final NamedObjects objects;

  SteerController(OperatorActs acts, CloneActs clones, TaskReach reach, NamedObjects objects) {
    this.acts = acts;
    this.clones = clones;
    this.reach = reach;
    this.objects = objects;
  }

  record RunNow(
      String taskId,
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

  record ExpireLease(String taskId, Integer leaseEpoch, String operator, String reason) {}

  record Cloned(String taskId) {}

  @Takes(summary = "Makes a task due now that would be later", shape = RunNow.class)
  @Needs(Verb.TASK_STEER)
  @PostMapping({"/runNow", "/run_now"})
  Envelope<Void> runNow(Fields in, Caller caller) {
    TaskId id = taskId(in);
    Expected expected = Expected.read(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    acts.act(reach.require(id, caller), TaskAct.RUN_NOW, Arguments.NONE, expected, why);
    return Envelope.done();
  }

  @Takes(
      summary = "Changes when a waiting task is due, or how urgent it is",
      shape = Reschedule.class)
  @Needs(Verb.TASK_STEER)
  @PostMapping("/reschedule")
  Envelope<Void> reschedule(Fields in, Caller caller) {
    TaskId id = taskId(in);
    NewDue due =
        new NewDue(
            in.number("runAt").epochMs().asLong(),
            in.number("delayMs").between(0, TEN_YEARS_MS).asLong(),
            TaskFields.priority(in));
    long given = Stream.of("runAt", "delayMs", "priority").filter(in::has).count();
    if (given != 1) {
      in.refuse("runAt", "or delayMs or priority is required, and one of them alone");
    }
    Expected expected = Expected.read(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    acts.act(reach.require(id, caller), TaskAct.RESCHEDULE, Arguments.due(due), expected, why);
    return Envelope.done();
  }

  @Takes(summary = "Makes a new task like this one", shape = Clone.class)
  @Needs(Verb.TASK_STEER)
  @PostMapping("/clone")
  Envelope<Cloned> clone(Fields in, Caller caller) {
    TaskId id = TaskFields.writtenTask(in);
    CloneActs.Changes changes =
        new CloneActs.Changes(
            in.text("userId").name().max(TaskLimits.USER_ID).value(),
            in.text("taskStage").name().max(TaskLimits.STAGE).value(),
            TaskFields.taskContext(in),
            TaskFields.priority(in),
            in.number("runAt").epochMs().asLong(),
            in.text("idempotencyKey").ascii().max(TaskLimits.IDEMPOTENCY_KEY).value());
    in.refuseMisnomer("context", "taskContext");
    Stream.of("userId", "taskStage", "idempotencyKey")
        .filter(in::has)
        .filter(in::isNull)
        .forEach(name -> in.refuse(name, "must not be empty"));
    Reason why = Reason.read(in);
    in.refuseIfBad();
    if (changes.makesOther()) {
      caller.require(Verb.TASK_CREATE);
    }
    reach.require(id, caller);
    if (changes.userId() != null) {
      caller.requireUser(changes.userId());
    }
    objects.require(Stream.ofNullable(changes.context()), id, caller);
    TaskId clone = clones.clone(id, changes, caller.scope().users(), why);
    return Envelope.ok(new Cloned(clone.toString()));
  }

  @Takes(summary = "Ends the lease of an executing task before its time", shape = ExpireLease.class)
  @Needs(Verb.TASK_EXPIRE)
  @PostMapping({"/expireLease", "/expire_lease"})
  Envelope<Void> expireLease(Fields in, Caller caller) {
    TaskId id = taskId(in);
    Integer epoch = in.number("leaseEpoch").required().between(1, Integer.MAX_VALUE).asInteger();
    Reason why = Reason.readRequired(in);
    in.refuseIfBad();
    acts.act(
        reach.require(id, caller),
        TaskAct.EXPIRE_LEASE,
        Arguments.NONE,
        new Expected(epoch, null),
        why);
    return Envelope.done();
  }

  private static TaskId taskId(Fields in) {
    return in.text("taskId").required().as(TaskId::parse, "is not a task id");
  }
}
