package io.asyncflow.flowsvr.why;

import io.asyncflow.api.pause.Pause;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.util.List;
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
    JobFacts job,
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

  /**
   * A job, as far as it decides about its tasks.
   *
   * @param total children; {@code null} until the split has reported
   * @param released children below this index are tasks
   * @param inFlight of these, how many have not ended
   * @param window the most in flight; {@code null} for no limit
   * @param isPaused whether an operator paused it
   */
  record JobFacts(
      long id,
      TaskType jobType,
      TaskType childType,
      String userId,
      String state,
      Integer total,
      int released,
      int inFlight,
      Integer window,
      boolean isPaused,
      boolean isTeam) {}

  /** An act on a task, or on its job. */
  record DoneAct(
      long time,
      String act,
      String object,
      String operator,
      String reason,
      String actor,
      String newTaskId) {

    /** In whose name it was done; whom the caller was taken for if it named none. */
    String by() {
      return operator.isEmpty() ? actor : operator;
    }
  }

  String stageName() {
    return row.id().type().name() + "/" + row.stage();
  }

  boolean isDue() {
    return row.orderTime() <= row.now();
  }

  /** Those of the workers that the caller may learn of. */
  List<String> shown(List<DescribedWorker> some) {
    return some.stream().map(DescribedWorker::id).filter(seesWorker).sorted().toList();
  }
}
