package io.asyncflow.flowsvr.create;

import io.asyncflow.api.OnDuplicate;
import io.asyncflow.flowsvr.task.KeyOptions;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskLimits;
import io.asyncflow.flowsvr.tasktype.ReservedTypes;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.access.Secrets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Reads a task to be created. */
public final class NewTaskForm {

  private static final int SETS_OF_WORKERS = 100;
  private static final long TEN_YEARS_MS = 315_360_000_000L;
  private static final long THIRTY_DAYS_MS = 2_592_000_000L;

  private static final List<String> KEY_OPTIONS = List.of("onDuplicate", "keyMs", "keyUntilDone");
  private static final String ON_DUPLICATE_RULE = "must be one of SAME, KEEP, REPLACE and RERUN";

  private NewTaskForm() {}

  /** Reads the task; it is valid only if {@code in} has no invalid field afterwards. */
  public static TaskDraft read(Fields in) {
    return read(in, key(in), keyOptions(in));
  }

  /** The same, but ignores the key and its options. */
  public static TaskDraft readWithoutKey(Fields in) {
    return read(in, null, KeyOptions.PLAIN);
  }

  private static TaskDraft read(Fields in, String key, KeyOptions keyOptions) {
    TaskType type = in.text("taskType").required().as(TaskType::parse, "is not a valid task type");
    ReservedTypes.refuse(in, "taskType", type);
    in.refuseMisnomer("context", "taskContext");
    TaskDraft task =
        new TaskDraft(
            in.text("userId").required().name().max(TaskLimits.USER_ID).value(),
            type,
            in.text("taskStage").required().name().max(TaskLimits.STAGE).value(),
            Secrets.masked(in.text("scheduleLog").maxBytes(TaskLimits.SCHEDULE_LOG_BYTES).value()),
            in.text("taskContext").maxBytes(TaskLimits.CONTEXT_BYTES).or(""),
            in.number("priority").between(0, TaskLimits.PRIORITY).asInteger(),
            in.number("delayMs").between(0, TEN_YEARS_MS).asLong(),
            in.number("runAt").epochMs().asLong(),
            in.number("maxRetryNum").between(0, TaskLimits.RETRIES).asInteger(),
            in.number("maxRetryInterval").between(0, TaskLimits.RETRY_INTERVAL).asInteger(),
            in.number("maxUnexpectedRetries").between(0, TaskLimits.RETRIES).asInteger(),
            key,
            keyOptions,
            null,
            workers(in),
            null);
    if (task.delayMs() != null && task.runAt() != null) {
      in.refuse("runAt", "must not be given together with delayMs");
    }
    return task;
  }

  /**
   * Refuses a list of tasks with more than {@value #SETS_OF_WORKERS} different sets of workers:
   * each new one is a lane.
   */
  public static void refuseManySets(Fields in, String name, Stream<? extends Set<String>> sets) {
    if (sets.filter(set -> !set.isEmpty()).distinct().count() > SETS_OF_WORKERS) {
      in.refuse(name, "must have at most " + SETS_OF_WORKERS + " different sets of workerIds");
    }
  }

  /** The workers that may hold a task; empty if the field is absent: all. */
  public static Set<String> workers(Fields in) {
    return in.names("workerIds").notEmpty().max(Lane.WORKERS, TaskLimits.WORKER_ID).values();
  }

  /**
   * The idempotency key; an empty one is refused, because its sender expects to be safe from
   * duplicates.
   */
  private static String key(Fields in) {
    return in.has("idempotencyKey")
        ? in.text("idempotencyKey").required().ascii().max(TaskLimits.IDEMPOTENCY_KEY).value()
        : null;
  }

  private static KeyOptions keyOptions(Fields in) {
    if (!in.has("idempotencyKey")) {
      for (String name : KEY_OPTIONS) {
        if (in.has(name)) {
          in.refuse(name, "needs an idempotencyKey");
        }
      }
      return KeyOptions.PLAIN;
    }
    OnDuplicate onDuplicate =
        in.has("onDuplicate")
            ? in.text("onDuplicate").as(NewTaskForm::onDuplicate, ON_DUPLICATE_RULE)
            : OnDuplicate.SAME;
    return new KeyOptions(
        onDuplicate,
        in.number("keyMs").between(1_000, THIRTY_DAYS_MS).asLong(),
        in.number("keyUntilDone").between(0, 1).or(0) == 1);
  }

  private static Optional<OnDuplicate> onDuplicate(String text) {
    return Arrays.stream(OnDuplicate.values()).filter(o -> o.name().equals(text)).findFirst();
  }
}
