package io.asyncflow.systemtest.invariant;

/** What must be true of every history, numbered as in the list of faults to survive. */
public enum Invariant {
  CREATED_IS_FINISHED(1, "every acknowledged create ends final after a drain"),
  NOTHING_FROM_NOWHERE(2, "nothing runs that nobody created"),
  ONE_TASK_A_KEY(3, "one task a key"),
  IDS_ARE_UNIQUE(4, "ids are unique over all tables"),
  EPOCHS_RISE(5, "epochs of a task's holds strictly rise and no epoch has two holders"),
  NO_STALE_REPORT(6, "an accepted report has no newer hold before it"),
  ONE_REPORT_AN_EPOCH(7, "one accepted report an epoch; its replay is told so"),
  ONE_RESULT_A_STAGE(8, "one committed result a stage of a task"),
  FINAL_IS_FINAL(9, "only legal status edges, and final is final"),
  STAGES_FOLLOW_THE_PATH(10, "stages follow the path and see what the one before committed"),
  RETRIES_ARE_COUNTED(11, "retries stay under their maximum, and only real failures count"),
  NOT_BEFORE_IT_IS_DUE(12, "no delivery before order_time"),
  NO_SWEEP_OF_A_LIVE_LEASE(13, "no sweep before the lease ends"),
  CANCELLED_IS_OVER(14, "after an accepted cancel nothing commits"),
  TABLES_ROLL_FORWARD(15, "begin <= end, both only rise, nothing is left or lost behind begin"),
  JOBS_ADD_UP(17, "job counts equal the rows; each child once, one merge, and an end that fits"),
  READ_YOUR_WRITES(18, "who was answered reads what was answered"),
  NO_ERROR_WITHOUT_A_FAULT(19, "no 5xx and no silence without a fault"),
  HEALED_MEANS_DRAINED(20, "after everything heals all drains in time"),
  ONE_RUN_A_FIRE(21, "one fire row a fire time of a schedule, and one run that carries it"),
  ONE_FATE_A_FIRE_TIME(22, "each fire time that has come has one fate: a fire or a gap"),
  FIRES_RISE(23, "fires of a schedule rise, and no run is held before its fire time"),
  SLICE_EPOCHS_RISE(24, "epochs of a slice rise, and no epoch has two owners"),
  ONE_RUN_AT_A_TIME(28, "no two live runs under SKIP, WAIT, REPLACE or after the last run");

  private final int number;
  private final String sentence;

  Invariant(int number, String sentence) {
    this.number = number;
    this.sentence = sentence;
  }

  /** Whether it is about schedules, which leave no history but rows. */
  public boolean isOfSchedules() {
    return number > HEALED_MEANS_DRAINED.number;
  }

  public int number() {
    return number;
  }

  public String sentence() {
    return sentence;
  }
}
