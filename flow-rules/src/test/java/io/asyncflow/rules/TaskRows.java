package io.asyncflow.rules;

import io.asyncflow.api.TaskStatus;

/** Rows for tests without a database: {@code aRow().heldBy("w").withEpoch(3).build()}. */
public final class TaskRows {

  /** The database's clock when the rows were read. */
  public static final long NOW = 1_800_000_000_000L;

  private long number = id().number();
  private TaskStatus status = TaskStatus.WAITING;
  private String stage = "first";
  private int priority;
  private long orderTime = NOW - 60_000;
  private int crtRetryNum;
  private Integer maxRetryNum;
  private Integer maxRetryInterval;
  private int unexpectedNum;
  private Integer maxUnexpectedRetries;
  private int leaseEpoch;
  private int reportedEpoch;
  private String reportId;
  private int deliveryCount;
  private String workerId = "";
  private long holdTime;
  private long beatTime;
  private long leaseEnd;
  private String log = "";
  private String context = "{\"a\":1}";
  private String result;
  private JobPlace place;
  private FireId fire;
  private String lane = Lane.OPEN;
  private String traceParent;

  private TaskRows() {}

  public static TaskRows aRow() {
    return new TaskRows();
  }

  public static TaskId id() {
    return new TaskId(42, new TaskTable(new TaskType("lark"), 1));
  }

  public TaskRows numbered(long value) {
    number = value;
    return this;
  }

  public TaskRows inStatus(TaskStatus value) {
    status = value;
    return this;
  }

  /** Executing since ten seconds with twenty to go, in epoch 1 unless said otherwise. */
  public TaskRows heldBy(String worker) {
    status = TaskStatus.EXECUTING;
    workerId = worker;
    leaseEpoch = Math.max(1, leaseEpoch);
    holdTime = NOW - 10_000;
    leaseEnd = NOW + 20_000;
    return this;
  }

  /** The lease ran from so long before now until now. */
  public TaskRows heldForMs(long ms) {
    holdTime = NOW - ms;
    leaseEnd = NOW;
    return this;
  }

  public TaskRows lastBeatMsAgo(long ms) {
    beatTime = NOW - ms;
    return this;
  }

  public TaskRows withEpoch(int value) {
    leaseEpoch = value;
    return this;
  }

  public TaskRows reportedUpTo(int epoch, String id) {
    reportedEpoch = epoch;
    reportId = id;
    return this;
  }

  public TaskRows failedTimes(int value) {
    crtRetryNum = value;
    return this;
  }

  public TaskRows withRetries(Integer number, Integer capInSeconds) {
    maxRetryNum = number;
    maxRetryInterval = capInSeconds;
    return this;
  }

  public TaskRows failedUnexpectedly(int times) {
    unexpectedNum = times;
    return this;
  }

  public TaskRows withUnexpectedRetries(Integer number) {
    maxUnexpectedRetries = number;
    return this;
  }

  public TaskRows deliveredTimes(int value) {
    deliveryCount = value;
    return this;
  }

  public TaskRows inStage(String value) {
    stage = value;
    return this;
  }

  public TaskRows withPriority(int seconds) {
    priority = seconds;
    return this;
  }

  public TaskRows dueAt(long value) {
    orderTime = value;
    return this;
  }

  public TaskRows withLog(String value) {
    log = value;
    return this;
  }

  public TaskRows withTexts(String newContext, String newResult) {
    context = newContext;
    result = newResult;
    return this;
  }

  public TaskRows at(JobPlace value) {
    place = value;
    return this;
  }

  public TaskRows createdBy(FireId value) {
    fire = value;
    return this;
  }

  public TaskRows inLane(String value) {
    lane = value;
    return this;
  }

  public TaskRows inTrace(String value) {
    traceParent = value;
    return this;
  }

  public TaskRow build() {
    return new TaskRow(
        new TaskId(number, id().table()),
        "somebody",
        stage,
        status,
        priority,
        orderTime,
        crtRetryNum,
        maxRetryNum,
        maxRetryInterval,
        unexpectedNum,
        maxUnexpectedRetries,
        leaseEpoch,
        reportedEpoch,
        reportId,
        deliveryCount,
        false,
        workerId,
        "0123456789abcdef0123456789abcdef",
        holdTime,
        beatTime,
        leaseEnd,
        null,
        NOW - 100_000,
        NOW - 50_000,
        context,
        result,
        log,
        place,
        fire,
        lane,
        traceParent,
        NOW);
  }
}
