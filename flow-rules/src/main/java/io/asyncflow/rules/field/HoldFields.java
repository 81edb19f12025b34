package io.asyncflow.rules.field;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.Set;

/** The fields of a hold, and of the heartbeats that follow it. */
public final class HoldFields {

  private static final int MAX_LIMIT = 1_000;
  private static final int MAX_WAIT_MS = 30_000;
  private static final int MAX_HOLD_ID = 64;
  private static final int MAX_STAGES = 64;
  private static final int MAX_OTHERS_AFTER_MS = 10_000;
  private static final int HOST = 255;
  private static final int VERSION = 64;
  private static final int DESCRIPTION_BYTES = 16_384;

  private HoldFields() {}

  /**
   * Reads a hold, with defaults applied; it is valid only if {@code in} has no invalid field
   * afterwards.
   */
  public static HoldRequest hold(FieldSource in) {
    String holdId = in.text("holdId").name().max(MAX_HOLD_ID).value();
    TaskType type = TaskFields.existingType(in);
    int limit = in.number("limit").between(0, MAX_LIMIT).or(0);
    String workerId = in.text("workerId").name().max(TaskLimits.WORKER_ID).or("");
    int waitMs = in.number("waitMs").between(0, MAX_WAIT_MS).or(0);
    Set<String> stages = stages(in, "stages");
    Set<String> prefer = stages(in, "prefer");
    int othersAfterMs = in.number("othersAfterMs").between(0, MAX_OTHERS_AFTER_MS).or(0);
    String startId = startId(in);
    int version = in.number("workerVersion").between(0, Integer.MAX_VALUE).or(0);
    TaskFields.refuseReserved(in, "taskType", type);
    boolean isRepeatable = holdId != null && !holdId.isEmpty();
    if (isRepeatable && workerId.isEmpty()) {
      in.refuse("workerId", "is required with a holdId");
    }
    if (!stages.isEmpty() && !stages.containsAll(prefer)) {
      in.refuse("prefer", "must be a subset of stages");
    }
    return new HoldRequest(
        type == null ? null : type.name(),
        limit,
        workerId,
        waitMs,
        isRepeatable ? holdId : null,
        List.copyOf(stages),
        List.copyOf(prefer),
        othersAfterMs,
        startId,
        version);
  }

  private static Set<String> stages(FieldSource in, String name) {
    return in.names(name).max(MAX_STAGES, TaskLimits.STAGE).values();
  }

  /** The worker of a heartbeat. */
  public static String beatingWorker(FieldSource in) {
    return in.text("workerId").required().name().max(TaskLimits.WORKER_ID).value();
  }

  /** The tasks of a heartbeat, each of which {@link #heldTask} reads. */
  public static List<? extends FieldSource> heldTasks(FieldSource in) {
    return in.objects("tasks", 0, TaskLimits.BATCH);
  }

  /**
   * A task of a heartbeat.
   *
   * @param id as {@link TaskFields#taskId} reads it
   */
  public static HeldTask heldTask(FieldSource in, TaskId id) {
    return new HeldTask(
        id == null ? null : id.toString(),
        TaskFields.leaseEpoch(in),
        in.number("progress").between(0, 100).asInteger());
  }

  /** The start of the worker; empty if it says none. */
  public static String startId(FieldSource in) {
    return in.text("startId").name().max(TaskLimits.WORKER_ID).or("");
  }

  /** The machine of a worker that describes itself; empty if it does not say. */
  public static String host(FieldSource worker) {
    return worker.text("host").max(HOST).or("");
  }

  /** The version of the SDK of a worker that describes itself; empty if it does not say. */
  public static String sdkVersion(FieldSource worker) {
    return worker.text("sdkVersion").max(VERSION).or("");
  }

  /**
   * Refuses a worker that says too much about itself.
   *
   * @param worker the object {@code worker} of {@code in}
   */
  public static void refuseLargeWorker(FieldSource in, FieldSource worker) {
    if (worker.jsonBytes() > DESCRIPTION_BYTES) {
      in.refuseAsTooLarge("worker", "must be at most " + DESCRIPTION_BYTES + " bytes of JSON");
    }
  }
}
