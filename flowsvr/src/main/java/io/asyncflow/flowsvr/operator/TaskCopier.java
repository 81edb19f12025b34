package io.asyncflow.flowsvr.operator;

import io.asyncflow.api.find.SteerClient.Changes;
import io.asyncflow.flowsvr.access.Names;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.create.CreateCall;
import io.asyncflow.flowsvr.create.TaskCreator;
import io.asyncflow.flowsvr.lane.Lanes;
import io.asyncflow.flowsvr.task.CopyStore;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.flowsvr.tasktable.NewTaskTables;
import io.asyncflow.flowsvr.tasktype.SealedTexts;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.stereotype.Component;

/**
 * Makes new tasks like others: the copy that runs in place of a task in a drained table, and clones.
 * What the context of the new task names in the store stays for it. Thread-safe.
 */
@Component
class TaskCopier {

  private static final String CLONE = "CLONE";

  private final NewTaskTables tables;
  private final TaskCreator creator;
  private final CopyStore copies;
  private final SealedTexts sealedTexts;
  private final Lanes lanes;
  private final Acts acts;

  TaskCopier(
      NewTaskTables tables,
      TaskCreator creator,
      CopyStore copies,
      SealedTexts sealedTexts,
      Lanes lanes,
      Acts acts) {
    this.tables = tables;
    this.creator = creator;
    this.copies = copies;
    this.sealedTexts = sealedTexts;
    this.lanes = lanes;
    this.acts = acts;
  }

  /**
   * Copies a failed or cancelled task. Concurrent calls make one copy.
   *
   * @param record records the act, in the transaction of the copy
   * @throws TransitionNotAllowedException if the task is of a job, to which a copy would not belong
   */
  TaskId retry(TaskRow origin, Consumer<Act> record) {
    TaskId id = origin.id();
    if (origin.place() != null) {
      throw new TransitionNotAllowedException(
          id,
          "its table holds only finished tasks by now; retry its job, " + origin.place().jobId());
    }
    TaskActs.requireRetryable(origin);
    TaskDraft copy =
        TaskDraft.copyOf(origin, "retry-of-" + id + "-" + origin.leaseEpoch())
            .withWorkers(lanes.workersOf(origin.lane()));
    CreateCall call =
        CreateCall.of(List.of(copy))
            .and(made -> record.accept(act(CopyStore.RETRY, origin, made.get(0))));
    return creator.create(call).get(0);
  }

  /**
   * Makes a new task like another one, whatever became of that one.
   *
   * @param users those whose tasks the caller sees
   * @return the new task; the same one again for a repeated idempotency key
   * @throws TransitionNotAllowedException if the task belongs to a job
   */
  TaskId clone(TaskRow origin, Changes changes, Names users, Reason why) {
    TaskId id = origin.id();
    if (origin.place() != null) {
      throw new TransitionNotAllowedException(
          id, "it belongs to job " + origin.place().jobId() + ", and a clone would not");
    }
    TaskDraft like = TaskDraft.copyOf(origin, null);
    TaskDraft clone =
        new TaskDraft(
                or(changes.userId(), like.userId()),
                like.type(),
                or(changes.taskStage(), like.stage()),
                like.scheduleLog(),
                or(changes.taskContext(), like.context()),
                or(changes.priority(), like.priority()),
                null,
                changes.runAt(),
                like.maxRetryNum(),
                like.maxRetryInterval(),
                like.maxUnexpectedRetries(),
                changes.idempotencyKey())
            .withWorkers(lanes.workersOf(origin.lane()))
            .withTraceParent(like.traceParent());
    if (changes.taskContext() != null) {
      sealedTexts.check(clone.type(), clone.context(), "taskContext");
    }
    CreateCall call =
        CreateCall.of(List.of(clone))
            .byUsers()
            .seenBy(users)
            .and(
                made -> {
                  if (!copies.isRecorded(id, made.get(0))) { // else the call is repeated
                    acts.record(act(CLONE, origin, made.get(0)).by(why));
                  }
                });
    return creator.create(call).get(0);
  }

  private static <T> T or(T changed, T same) {
    return changed == null ? same : changed;
  }

  /** Commits with the copy: from then on the original's objects stay if its table is dropped. */
  private Act act(String kind, TaskRow origin, TaskId copy) {
    TaskId id = origin.id();
    if (!tables.keep(id.table())) {
      throw TaskNotFoundException.dropped(id);
    }
    return copies.insert(kind, List.of(origin), List.of(copy)).get(0);
  }
}
