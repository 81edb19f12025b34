package io.asyncflow.flowsvr.task.row;

import io.asyncflow.rules.FireId;

/** Drafts with what a call or a fire gives them. */
public final class TaskDrafts {

  private TaskDrafts() {}

  /** The same task with options of its key. */
  public static TaskDraft withKeyOptions(TaskDraft draft, KeyOptions options) {
    return with(draft, options, draft.fire());
  }

  /** The same task, created by a fire. */
  public static TaskDraft withFire(TaskDraft draft, FireId fire) {
    return with(draft, draft.keyOptions(), fire);
  }

  private static TaskDraft with(TaskDraft draft, KeyOptions options, FireId fire) {
    return new TaskDraft(
        draft.userId(),
        draft.type(),
        draft.stage(),
        draft.scheduleLog(),
        draft.context(),
        draft.priority(),
        draft.delayMs(),
        draft.runAt(),
        draft.maxRetryNum(),
        draft.maxRetryInterval(),
        draft.maxUnexpectedRetries(),
        draft.idempotencyKey(),
        options,
        fire,
        draft.workers(),
        draft.traceParent());
  }
}
