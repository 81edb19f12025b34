package io.asyncflow.flowsvr.operate.why;

import io.asyncflow.api.pause.Pause;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskRow;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What decides about a task; of parts that its status does not ask for, nothing.
 *
 * @param type {@code null} if its configuration is gone
 * @param pauses of the type, of the stage, and of workers
 * @param workers those that were heard of last
 * @param laneWorkers those that may hold it; empty for all
 * @param limits how far those of the type are used
 * @param holders who executes tasks of its stage and lane, if no worker describes the stage
 * @param hasUnnamedPollers whether clients without an id have asked this server for its type lately
 * @param ahead due tasks before it, counted to a limit; {@code null} if it is not due
 * @param job {@code null} outside jobs, or if the caller does not see it
 * @param acts on it, newest first
 * @param lastSweep epoch ms of the last sweep of leases; {@code null} if it is not known
 * @param seesWorker whether the caller may learn of this worker
 * @param seesActs whether the caller may learn who paused what, and why
 * @param seesContents whether the caller may read contents
 */
record Facts(
    TaskRow row,
    TaskTypeConfig type,
    List<Pause> pauses,
    List<DescribedWorker> workers,
    Set<String> laneWorkers,
    Limits limits,
    List<Holder> holders,
    boolean hasUnnamedPollers,
    Integer ahead,
    JobRow job,
    List<DoneAct> acts,
    Long lastSweep,
    Predicate<String> seesWorker,
    boolean seesActs,
    boolean seesContents) {

  /**
   * How far limits are used.
   *
   * @param executing tasks of the type, counted to a limit; {@code null} if nothing limits them
   * @param nextInMs until the rate allows another hold; 0 if it does now
   */
  record Limits(Integer executing, long nextInMs) {

    static final Limits NONE = new Limits(null, 0);
  }

  /** The holder of an executing task; empty for a client without an id. */
  record Holder(String workerId, long holdTime) {}

  /** An act on a task, or on its job. */
  record DoneAct(
      long time, String act, String operator, String reason, String actor, String newTaskId) {

    /** In whose name it was done; whom the caller was taken for if it named none. */
    String by() {
      return operator.isEmpty() ? actor : operator;
    }

    String reasonOrNull() {
      return reason.isEmpty() ? null : reason;
    }
  }

  /** The last act of a kind. */
  Optional<DoneAct> last(String kind) {
    return acts.stream().filter(act -> act.act().equals(kind)).findFirst();
  }

  /** Those of the workers that the caller may learn of. */
  List<String> shown(List<DescribedWorker> some) {
    return some.stream().map(DescribedWorker::id).filter(seesWorker).sorted().toList();
  }
}
