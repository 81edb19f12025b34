package io.asyncflow.flowsvr.operator;

import io.asyncflow.flowsvr.access.Names;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.create.CreateCall;
import io.asyncflow.flowsvr.create.TaskCreator;
import io.asyncflow.flowsvr.lane.Lanes;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.NewTaskTables;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktype.SealedTexts;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import org.springframework.stereotype.Service;

/**
 * Makes a new task like another one, whatever became of that one. What the new task's context names
 * in the store stays for it, as for the copy of a retry.
 */
@Service
public class CloneActs {

  private static final String CLONE = "CLONE";

  private final TaskFamilies families;
  private final NewTaskTables tables;
  private final TaskStore tasks;
  private final TaskCreator creator;
  private final CopyStore copies;
  private final SealedTexts sealedTexts;
  private final Lanes lanes;
  private final Acts acts;

  CloneActs(
      TaskFamilies families,
      NewTaskTables tables,
      TaskStore tasks,
      TaskCreator creator,
      CopyStore copies,
      SealedTexts sealedTexts,
      Lanes lanes,
      Acts acts) {
    this.families = families;
    this.tables = tables;
    this.tasks = tasks;
    this.creator = creator;
    this.copies = copies;
    this.sealedTexts = sealedTexts;
    this.lanes = lanes;
    this.acts = acts;
  }

  /**
   * What is different in the new task; {@code null} for what stays.
   *
   * @param runAt epoch ms from which it is due; {@code null} for at once
   * @param idempotencyKey of the new task; {@code null} for none
   */
  public record Changes(
      String userId,
      String stage,
      String context,
      Integer priority,
      Long runAt,
      String idempotencyKey) {

    /** Whether the new task does other work, or does it for another user. */
    public boolean makesOther() {
      return userId != null || stage != null || context != null;
    }
  }

  /**
   * Clones a task.
   *
   * @param users those whose tasks the caller sees
   * @return the new task; the same one again for a repeated idempotency key
   * @throws TransitionNotAllowedException if the task belongs to a job
   */
  public TaskId clone(TaskId id, Changes changes, Names users, Reason why) {
    TaskRow origin = find(id);
    if (origin.place() != null) {
      throw new TransitionNotAllowedException(
          id, "it belongs to job " + origin.place().jobId() + ", and a clone would not");
    }
    TaskDraft clone = draft(origin, changes);
    if (changes.context() != null) {
      sealedTexts.check(clone.type(), clone.context(), "taskContext");
    }
    CreateCall call =
        CreateCall.of(List.of(clone))
            .byUsers()
            .seenBy(users)
            .and(made -> record(origin, made.get(0), why));
    return creator.create(call).get(0);
  }

  private TaskRow find(TaskId id) {
    if (!families.has(id.table())) {
      throw new TaskNotFoundException(id);
    }
    return tasks.find(id).orElseThrow(() -> new TaskNotFoundException(id));
  }

  private TaskDraft draft(TaskRow origin, Changes changes) {
    TaskDraft copy = TaskDraft.copyOf(origin, changes.idempotencyKey());
    return new TaskDraft(
            or(changes.userId(), copy.userId()),
            copy.type(),
            or(changes.stage(), copy.stage()),
            copy.scheduleLog(),
            or(changes.context(), copy.context()),
            or(changes.priority(), copy.priority()),
            null,
            changes.runAt(),
            copy.maxRetryNum(),
            copy.maxRetryInterval(),
            copy.maxUnexpectedRetries(),
            copy.idempotencyKey())
        .withWorkers(lanes.workersOf(origin.lane()))
        .withTraceParent(copy.traceParent());
  }

  private static <T> T or(T changed, T same) {
    return changed == null ? same : changed;
  }

  /** Commits with the clone; a repeat of the call has been recorded already. */
  private void record(TaskRow origin, TaskId clone, Reason why) {
    TaskId id = origin.id();
    if (copies.isRecorded(id, clone)) {
      return;
    }
    if (!tables.keep(id.table())) {
      throw TaskNotFoundException.dropped(id);
    }
    copies.insert(CLONE, origin, clone);
    acts.record(Act.onTask(CLONE, id, origin.status(), origin.status()).by(why).making(clone));
  }
}
