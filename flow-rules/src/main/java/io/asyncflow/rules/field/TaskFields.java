package io.asyncflow.rules.field;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TraceParent;
import io.asyncflow.api.find.SteerClient.NewDue;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.access.Secrets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The fields of a task to be created, and of acts on one; each method reads one, and refuses what
 * it may not hold.
 */
public final class TaskFields {

  private static final int SETS_OF_WORKERS = 100;
  private static final long THIRTY_DAYS_MS = 2_592_000_000L;

  private static final List<String> KEY_OPTIONS = List.of("onDuplicate", "keyMs", "keyUntilDone");
  private static final String ON_DUPLICATE_RULE = "must be one of SAME, KEEP, REPLACE and RERUN";

  /** What is wrong with the id of a task of the server itself. */
  public static final String RESERVED_RULE =
      "is of a type that begins with flow_, whose tasks only the server itself writes";

  private TaskFields() {}

  /**
   * Reads a task to be created, with defaults applied; it is valid only if {@code in} has no
   * invalid field afterwards.
   */
  public static NewTask task(FieldSource in) {
    String traceParent = TraceParent.validOrNull(in.text("traceParent").value());
    String key = idempotencyKey(in);
    if (!hasKey(in)) {
      return task(in, null, null, null, null, traceParent);
    }
    OnDuplicate onDuplicate = onDuplicate(in);
    return task(in, key, onDuplicate, keyMs(in), keyUntilDone(in) ? 1 : null, traceParent);
  }

  /** The same, but ignores the key, its options and the trace. */
  public static NewTask taskWithoutKey(FieldSource in) {
    return task(in, null, null, null, null, null);
  }

  private static NewTask task(
      FieldSource in,
      String key,
      OnDuplicate onDuplicate,
      Long keyMs,
      Integer keyUntilDone,
      String traceParent) {
    TaskType type = taskType(in);
    in.refuseMisnomer("context", "taskContext");
    String userId = userId(in);
    String stage = taskStage(in);
    String log = Secrets.masked(scheduleLog(in));
    String context = Objects.requireNonNullElse(taskContext(in), "");
    Integer priority = priority(in);
    Long delayMs = delayMs(in);
    Long runAt = runAt(in);
    Integer maxRetryNum = maxRetryNum(in);
    Integer maxRetryInterval = maxRetryInterval(in);
    Integer maxUnexpectedRetries = maxUnexpectedRetries(in);
    Set<String> workers = workerIds(in);
    refuseTwoTimes(in, delayMs, runAt);
    return new NewTask(
        userId,
        type == null ? null : type.name(),
        stage,
        log,
        context,
        priority,
        delayMs,
        runAt,
        maxRetryNum,
        maxRetryInterval,
        maxUnexpectedRetries,
        key,
        onDuplicate,
        keyMs,
        keyUntilDone,
        workers.isEmpty() ? null : List.copyOf(workers),
        traceParent);
  }

  /** The id of a task. */
  public static TaskId taskId(FieldSource in) {
    return in.text("taskId").required().as(TaskId::parse, "is not a task id");
  }

  /** The id of a task that is read, for which a key may stand. */
  public static TaskId soughtId(FieldSource in) {
    if (!in.has("taskId")) {
      in.refuse("taskId", "is required, or taskType and idempotencyKey in its place");
    }
    return in.text("taskId").as(TaskId::parse, "is not a task id");
  }

  /** The number of a hold of a task. */
  public static Integer leaseEpoch(FieldSource in) {
    return in.number("leaseEpoch").required().between(0, Integer.MAX_VALUE).asInteger();
  }

  /** In whose name a caller acts; empty if it names none. */
  public static String operator(FieldSource in) {
    return in.text("operator").max(TaskLimits.OPERATOR).or("");
  }

  /** Why a caller acts; empty if it does not say. */
  public static String reason(FieldSource in) {
    return in.text("reason").max(TaskLimits.REASON).or("");
  }

  /** The workers that may hold a task from now on; empty for all. */
  public static Set<String> assignedWorkers(FieldSource in) {
    Set<String> workers = in.names("workerIds").max(Lane.WORKERS, TaskLimits.WORKER_ID).values();
    if (!in.has("workerIds")) {
      in.refuse("workerIds", "is required; an empty list stands for all workers");
    }
    return workers;
  }

  /** Whether a pause ends the hold of an executing task. */
  public static boolean stop(FieldSource in) {
    return in.number("stop").between(0, 1).or(0) == 1;
  }

  /** When a task shall be due, or how urgent it shall be. */
  public static NewDue due(FieldSource in) {
    return new NewDue(runAt(in), delayMs(in), priority(in));
  }

  /** Requires one of the fields of {@link #due}, and refuses several. */
  public static void refuseUnlessOneDue(FieldSource in) {
    if (Stream.of("runAt", "delayMs", "priority").filter(in::has).count() != 1) {
      in.refuse("runAt", "or delayMs or priority is required, and one of them alone");
    }
  }

  /** The status that a task is forced to have. */
  public static TaskStatus forcedStatus(FieldSource in) {
    return in.text("status").required().as(TaskFields::forcible, "must be 1, 4, 8 or 16");
  }

  private static Optional<TaskStatus> forcible(String code) {
    return Set.of("1", "4", "8", "16").contains(code)
        ? Optional.of(TaskStatus.ofCode(Integer.parseInt(code)))
        : Optional.empty();
  }

  public static String userId(FieldSource in) {
    return in.text("userId").required().name().max(TaskLimits.USER_ID).value();
  }

  /** A type that clients may use. */
  public static TaskType taskType(FieldSource in) {
    TaskType type = existingType(in);
    refuseReserved(in, "taskType", type);
    return type;
  }

  /** Any type. */
  public static TaskType existingType(FieldSource in) {
    return in.text("taskType").required().as(TaskType::parse, "is not a valid task type");
  }

  /**
   * Refuses a type of the server itself.
   *
   * @param name the field that named the type
   * @param type {@code null} if the field is invalid anyway
   */
  public static void refuseReserved(FieldSource in, String name, TaskType type) {
    if (type != null && type.isReserved()) {
      in.refuse(name, "begins with flow_, as only types of the server itself do");
    }
  }

  /**
   * The id of a task whose fields the request sets; {@code null} if it is invalid. Only the server
   * sets those of its own types.
   */
  public static TaskId writtenTask(FieldSource in) {
    TaskId id = taskId(in);
    if (id != null && id.type().isReserved()) {
      in.refuse("taskId", RESERVED_RULE);
    }
    return id;
  }

  public static String taskStage(FieldSource in) {
    return in.text("taskStage").required().name().max(TaskLimits.STAGE).value();
  }

  public static String scheduleLog(FieldSource in) {
    return in.text("scheduleLog").maxBytes(TaskLimits.SCHEDULE_LOG_BYTES).value();
  }

  /** The context; {@code null} if the field is absent. */
  public static String taskContext(FieldSource in) {
    return in.text("taskContext").maxBytes(TaskLimits.CONTEXT_BYTES).value();
  }

  public static Integer priority(FieldSource in) {
    return in.number("priority").between(0, TaskLimits.PRIORITY).asInteger();
  }

  public static Long delayMs(FieldSource in) {
    return in.number("delayMs").between(0, TaskLimits.DELAY_MS).asLong();
  }

  public static Long runAt(FieldSource in) {
    return in.number("runAt").epochMs().asLong();
  }

  /** Refuses a task with two due times. */
  public static void refuseTwoTimes(FieldSource in, Long delayMs, Long runAt) {
    if (delayMs != null && runAt != null) {
      in.refuse("runAt", "must not be given together with delayMs");
    }
  }

  public static Integer maxRetryNum(FieldSource in) {
    return in.number("maxRetryNum").between(0, TaskLimits.RETRIES).asInteger();
  }

  public static Integer maxRetryInterval(FieldSource in) {
    return in.number("maxRetryInterval").between(0, TaskLimits.RETRY_INTERVAL).asInteger();
  }

  public static Integer maxUnexpectedRetries(FieldSource in) {
    return in.number("maxUnexpectedRetries").between(0, TaskLimits.RETRIES).asInteger();
  }

  /** The workers that may hold a task; empty if the field is absent: all. */
  public static Set<String> workerIds(FieldSource in) {
    return in.names("workerIds").notEmpty().max(Lane.WORKERS, TaskLimits.WORKER_ID).values();
  }

  /**
   * Refuses a list of tasks with more than {@value #SETS_OF_WORKERS} different sets of workers:
   * each new one is a lane.
   */
  public static void refuseManySets(
      FieldSource in, String name, Stream<? extends Set<String>> sets) {
    if (sets.filter(set -> !set.isEmpty()).distinct().count() > SETS_OF_WORKERS) {
      in.refuse(name, "must have at most " + SETS_OF_WORKERS + " different sets of workerIds");
    }
  }

  /**
   * The idempotency key; an empty one is refused, because its sender expects to be safe from
   * duplicates.
   */
  public static String idempotencyKey(FieldSource in) {
    return in.has("idempotencyKey") ? existingKey(in) : null;
  }

  /** The key by which a task is looked for. */
  public static String existingKey(FieldSource in) {
    return in.text("idempotencyKey").required().ascii().max(TaskLimits.IDEMPOTENCY_KEY).value();
  }

  /** Refuses options of a key that is not given; returns whether it is. */
  public static boolean hasKey(FieldSource in) {
    if (in.has("idempotencyKey")) {
      return true;
    }
    for (String name : KEY_OPTIONS) {
      if (in.has(name)) {
        in.refuse(name, "needs an idempotencyKey");
      }
    }
    return false;
  }

  public static OnDuplicate onDuplicate(FieldSource in) {
    return in.has("onDuplicate")
        ? in.text("onDuplicate").choice(OnDuplicate.values(), ON_DUPLICATE_RULE)
        : OnDuplicate.SAME;
  }

  public static Long keyMs(FieldSource in) {
    return in.number("keyMs").between(1_000, THIRTY_DAYS_MS).asLong();
  }

  public static boolean keyUntilDone(FieldSource in) {
    return in.number("keyUntilDone").between(0, 1).or(0) == 1;
  }
}
