package io.asyncflow.flowsvr.model;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The life of one task as the contract tells it. Times are milliseconds since the sequence began.
 *
 * <p>The methods that a test may override are rules that a broken model breaks.
 */
class ModelTask {

  static final int WAITING = 1;
  static final int EXECUTING = 2;
  static final int SUCCESS = 4;
  static final int FAILED = 8;
  static final int CANCELLED = 16;
  static final int PAUSED = 32;

  private static final int HISTORY = 5;

  private static final TaskRow SOME_TASK =
      TaskRow.waiting(
          new TaskId(1, new TaskTable(new TaskType("some"), 1)),
          "",
          "",
          0,
          0,
          null,
          null,
          null,
          "",
          "",
          null,
          null,
          null,
          0);

  /** What a task is born with. */
  record Birth(String label, int number, int table, ModelType type, NewTask body, long time) {}

  private final Birth birth;
  private final ModelType type;
  private String user;
  private String stage;
  private String context;
  private int status = WAITING;
  private int priority;
  private long orderTime;
  private int failures;
  private int unexpectedFailures;
  private boolean attemptHasFailed;
  private Integer ownMaxRetryNum;
  private Integer ownMaxRetryInterval;
  private Integer ownMaxUnexpectedRetries;
  private String result;
  private Set<String> workers = Set.of();

  private int epoch;
  private int reportedEpoch;
  private String reportId;
  private String worker;
  private String trace;
  private long holdTime;
  private Long lastBeat;
  private long leaseEnd;
  private Integer progress;
  private int deliveryCount;

  private String clientsLog;
  private final List<EndedHold> log = new ArrayList<>();

  ModelTask(Birth birth) {
    NewTask body = birth.body();
    this.birth = birth;
    this.type = birth.type();
    user = body.userId();
    stage = body.taskStage();
    context = body.taskContext();
    priority = given(body.priority(), 0);
    ownMaxRetryNum = body.maxRetryNum();
    ownMaxRetryInterval = body.maxRetryInterval();
    ownMaxUnexpectedRetries = body.maxUnexpectedRetries();
    clientsLog = given(body.scheduleLog(), "");
    workers = Set.copyOf(given(body.workerIds(), List.of()));
    orderTime = dueTime(body, birth.time());
  }

  /** The due time that the priority gives. */
  private long headStart(long now) {
    return now - priority * 1000L;
  }

  // ---- holds

  boolean isDueAt(long now) {
    return status == WAITING && orderTime <= now;
  }

  boolean isForAll() {
    return workers.isEmpty();
  }

  /**
   * @param who {@code null} for an old client
   */
  boolean mayBeHeldBy(String who) {
    return isForAll() || who != null && workers.contains(who);
  }

  /**
   * @param holder {@code null} for an old client
   */
  void hold(String holder, String holdTrace, long now) {
    status = EXECUTING;
    epoch++;
    worker = holder;
    trace = holdTrace;
    holdTime = now;
    attemptHasFailed = false;
    lastBeat = null;
    progress = null;
    leaseEnd = worker == null ? hardEnd() : leaseEndFrom(now);
  }

  private long leaseEndFrom(long now) {
    return Math.min(now + type.leaseMs(), hardEnd());
  }

  private long hardEnd() {
    return holdTime + type.maxProcessingMs();
  }

  boolean isHeldUnder(int holdEpoch) {
    return status == EXECUTING && epoch == holdEpoch;
  }

  boolean leaseLivesAt(long now) {
    return status == EXECUTING && now < leaseEnd;
  }

  Answer.Lease beat(String beater, Command.Held held, long now) {
    int named = Command.epoch(epoch, held.epochsBehind());
    if (!isOfTheLastHold(beater, named)) {
      return lost(held.task(), named);
    }
    if (status == CANCELLED) {
      return new Answer.Lease(held.task(), named, "CANCEL", 0);
    }
    if (now < hardEnd() && status == EXECUTING) {
      leaseEnd = leaseEndFrom(now);
      lastBeat = now;
      progress = given(held.progress(), progress);
    }
    if (!leaseLivesAt(now)) { // beyond the hard end it may: an old client has renewed it
      return lost(held.task(), named);
    }
    return new Answer.Lease(held.task(), named, "EXTENDED", leaseEnd - now);
  }

  static Answer.Lease lost(String label, int named) {
    return new Answer.Lease(label, named, "LOST", 0);
  }

  // ---- reports

  /**
   * @return {@code ACCEPTED}, {@code ALREADY_DONE}, or the code it is refused with
   */
  String report(Command.Report report, long now) {
    String verdict = verdict(report);
    if (!verdict.equals("ACCEPTED")) {
      return verdict;
    }
    log(given(report.errMsg(), ""), now);
    follow(report, now);
    reportedEpoch = epoch;
    reportId = report.reportId();
    deliveryCount = saysNothing(report) ? deliveryCount : 0;
    return verdict;
  }

  /** The release of a task that was not begun tells nothing about it. */
  boolean saysNothing(Command.Report report) {
    return report.outcome() == Outcome.RELEASE && Boolean.FALSE.equals(report.begun());
  }

  /** What {@link #report} will say. */
  String verdict(Command.Report report) {
    int named = Command.epoch(epoch, report.epochsBehind());
    boolean again = report.reportId() != null && report.reportId().equals(reportId);
    if (again && named == reportedEpoch) {
      return "ALREADY_DONE";
    }
    if (isFinal()) {
      return String.valueOf(ErrorCode.TRANSITION_NOT_ALLOWED.code());
    }
    if (!isOfTheLastHold(report.worker(), named) || named <= reportedEpoch) {
      return String.valueOf(ErrorCode.LEASE_LOST.code());
    }
    return "ACCEPTED";
  }

  int namedBy(Command.Report report) {
    return Command.epoch(epoch, report.epochsBehind());
  }

  boolean isOfTheLastHold(String who, int named) {
    return named == epoch && who.equals(given(worker, ""));
  }

  private void follow(Command.Report report, long now) {
    switch (report.outcome()) {
      case NEXT_STAGE -> {
        stage = report.stage();
        context = given(report.context(), context);
        priority = given(report.priority(), priority);
        failures = 0;
        workers = report.workers() == null ? workers : Set.copyOf(report.workers());
        unexpectedFailures = 0;
        waitUntil(headStart(now));
      }
      case SUCCESS -> {
        status = SUCCESS;
        result = report.result();
      }
      case RETRY -> fail(Boolean.TRUE.equals(report.unexpected()), report.delayMs(), now);
      case FAIL -> {
        failures += newFailure();
        status = FAILED;
      }
      case SNOOZE -> waitUntil(now + report.delayMs());
      case RELEASE -> waitUntil(orderTime);
    }
  }

  private void waitUntil(long due) {
    status = WAITING;
    orderTime = due;
  }

  /** The attempt failed: another one after a delay, unless the retries are exhausted. */
  private void fail(boolean unexpected, Long wishedDelayMs, long now) {
    boolean hasOwnBudget = unexpected && maxUnexpectedRetries() != null;
    int count;
    if (hasOwnBudget) {
      unexpectedFailures += newFailure();
      count = unexpectedFailures;
    } else {
      failures += newFailure();
      count = failures;
    }
    if (count > (hasOwnBudget ? maxUnexpectedRetries() : maxRetryNum())) {
      status = FAILED;
    } else {
      waitUntil(now + given(wishedDelayMs, type.retryDelayMs(count, ownMaxRetryInterval)));
    }
  }

  /** An attempt fails once: a late report of one that has timed out is not a second failure. */
  private int newFailure() {
    if (hasFailedBefore()) {
      return 0;
    }
    attemptHasFailed = true;
    return 1;
  }

  boolean hasFailedBefore() {
    return attemptHasFailed;
  }

  // ---- leases that run out

  boolean leaseHasRunOutAt(long now) {
    return status == EXECUTING && leaseEnd <= now;
  }

  void endLease(long now) {
    boolean lost = isWorkerLost();
    log(lost ? EndedHold.LOST : EndedHold.TIMED_OUT, now);
    deliveryCount++;
    if (isPoison(deliveryCount, type.maxDelivery)) {
      status = FAILED;
    } else if (lost) {
      waitUntil(Math.min(orderTime, now));
    } else {
      fail(true, null, now);
    }
  }

  /**
   * No beat within a lease. Where the lease ended at the hard end of the attempt, three tenths of a
   * lease of silence are taken for it (docs/decisions/0004).
   */
  boolean isWorkerLost() {
    if (worker == null) {
      return false;
    }
    long firstLease = Math.min(type.leaseMs(), type.maxProcessingMs());
    return lastBeat == null || leaseEnd < hardEnd() || leaseEnd - lastBeat > firstLease * 3 / 10;
  }

  boolean isPoison(int deliveries, int maxDelivery) {
    return deliveries > maxDelivery;
  }

  // ---- old clients

  Answer update(Command.OldUpdate update, long now) {
    boolean repeatsStatus = update.status() != null && update.status() == status;
    if (isFinal()) {
      return repeatsStatus && changesNothing(update)
          ? new Answer.Done()
          : Answer.refused(ErrorCode.TRANSITION_NOT_ALLOWED);
    }
    if (worker != null && leaseLivesAt(now)) {
      return Answer.refused(ErrorCode.LEASE_LOST);
    }
    if (status == PAUSED && update.status() != null) {
      return Answer.refused(ErrorCode.TRANSITION_NOT_ALLOWED);
    }
    boolean isStillExecuting = given(update.status(), 0) == EXECUTING;
    if (isStillExecuting && status != EXECUTING) {
      return Answer.refused(ErrorCode.TRANSITION_NOT_ALLOWED);
    }
    write(update);
    if (isStillExecuting) {
      leaseEnd = now + type.maxProcessingMs();
    } else if (status == EXECUTING && update.status() != null) {
      endHold(update.status(), now);
    }
    status = given(update.status(), status);
    orderTime = given(update.orderTime(), orderTime);
    return new Answer.Done();
  }

  private boolean changesNothing(Command.OldUpdate update) {
    return isSame(update.stage(), stage)
        && isSame(update.context(), context)
        && isSame(update.priority(), priority)
        && isSame(update.orderTime(), orderTime)
        && isSame(update.crtRetryNum(), failures)
        && isSame(update.maxRetryNum(), maxRetryNum())
        && isSame(update.maxRetryInterval(), maxRetryInterval())
        && isSame(update.scheduleLog(), shownLog())
        && isSame(update.user(), user);
  }

  private void write(Command.OldUpdate update) {
    user = given(update.user(), user);
    unexpectedFailures = isSame(update.stage(), stage) ? unexpectedFailures : 0;
    stage = given(update.stage(), stage);
    context = given(update.context(), context);
    priority = given(update.priority(), priority);
    failures = given(update.crtRetryNum(), failures);
    // Old clients send back all that they were told: that does not pin the type's values.
    if (!isSame(update.maxRetryNum(), maxRetryNum())) {
      ownMaxRetryNum = update.maxRetryNum();
    }
    if (!isSame(update.maxRetryInterval(), maxRetryInterval())) {
      ownMaxRetryInterval = update.maxRetryInterval();
    }
    if (update.scheduleLog() != null) {
      clientsLog = update.scheduleLog();
      log.clear();
    }
  }

  /** What an old client says at the end of a hold counts as the report of it. */
  private void endHold(int next, long now) {
    silenceHolder();
    deliveryCount = 0;
    if (next == WAITING) {
      orderTime = headStart(now);
    }
  }

  // ---- operators

  /** Refuses an act. The model decides that by itself; the rules lend it their words alone. */
  private Answer refusedAs(UnaryOperator<TaskRow> rule) {
    try {
      rule.apply(SOME_TASK.copy().status(TaskStatus.ofCode(status)).row());
    } catch (TransitionNotAllowedException e) {
      return Answer.refusedAct(e);
    }
    return Answer.refused(ErrorCode.TRANSITION_NOT_ALLOWED);
  }

  Answer cancel() {
    if (isFinal() && status != CANCELLED) {
      return refusedAs(TaskActs::cancelled);
    }
    status = CANCELLED;
    return new Answer.Done();
  }

  Answer pause(boolean stop, long now) {
    if (isFinal() || status == EXECUTING && !stop) {
      return refusedAs(row -> TaskActs.paused(row, stop));
    }
    if (status == EXECUTING) {
      logRevoked(now);
    }
    if (status != PAUSED) {
      status = PAUSED;
      silenceHolder();
    }
    return new Answer.Done();
  }

  Answer resume() {
    if (isFinal()) {
      return refusedAs(TaskActs::resumed);
    }
    status = status == PAUSED ? WAITING : status;
    return new Answer.Done();
  }

  Answer retry(long now) {
    if (status != FAILED && status != CANCELLED) {
      return refusedAs(TaskActs::retried);
    }
    revive(now);
    return new Answer.Done();
  }

  Answer setWorkers(List<String> wanted, long now) {
    if (isFinal()) {
      return refusedAs(row -> TaskActs.reassigned(row, Set.copyOf(wanted), Lane.OPEN));
    }
    workers = Set.copyOf(wanted);
    if (!mayBeHeldBy(worker) && reportedEpoch < epoch) {
      revoke(now);
    }
    return new Answer.Done();
  }

  Answer restart(long now) {
    if (status != EXECUTING) {
      return refusedAs(TaskActs::restarted);
    }
    revoke(now);
    return new Answer.Done();
  }

  /** Whoever held the task has nothing more to say; an executing task is due at once. */
  private void revoke(long now) {
    logRevoked(now);
    waitUntil(status == EXECUTING ? now : orderTime);
    silenceHolder();
  }

  private void logRevoked(long now) {
    log("an operator ended the hold", now);
  }

  Answer forceStatus(int forced, long now) {
    if (forced == WAITING) {
      revive(now);
    } else {
      status = forced;
    }
    return new Answer.Done();
  }

  // ---- keys

  /** As if it had just been created with this body; it is still the same task. */
  void renew(NewTask body, long now) {
    user = body.userId();
    stage = body.taskStage();
    context = body.taskContext();
    priority = given(body.priority(), 0);
    ownMaxRetryNum = body.maxRetryNum();
    ownMaxRetryInterval = body.maxRetryInterval();
    ownMaxUnexpectedRetries = body.maxUnexpectedRetries();
    workers = Set.copyOf(given(body.workerIds(), List.of()));
    progress = null;
    if (body.scheduleLog() != null) {
      clientsLog = body.scheduleLog();
      log.clear();
    }
    revive(now);
    orderTime = dueTime(body, now);
  }

  private long dueTime(NewTask body, long now) {
    if (body.runAt() != null) {
      return body.runAt();
    }
    return body.delayMs() != null ? now + body.delayMs() : headStart(now);
  }

  /** With a fresh budget, and with nothing to show yet. */
  private void revive(long now) {
    progress = null;
    result = null;
    failures = 0;
    unexpectedFailures = 0;
    deliveryCount = 0;
    waitUntil(headStart(now));
    silenceHolder();
  }

  /** Whoever held the task has nothing more to say; what he said stays said. */
  private void silenceHolder() {
    if (reportedEpoch < epoch) {
      reportedEpoch = epoch;
      reportId = null;
    }
  }

  // ---- what is seen of it

  ModelType type() {
    return type;
  }

  String user() {
    return user;
  }

  /** Ids rise with it. */
  int number() {
    return birth.number();
  }

  int table() {
    return birth.table();
  }

  int epoch() {
    return epoch;
  }

  String stage() {
    return stage;
  }

  long orderTime() {
    return orderTime;
  }

  int status() {
    return status;
  }

  private boolean isFinal() {
    return isFinal(status);
  }

  static boolean isFinal(int status) {
    return status == SUCCESS || status == FAILED || status == CANCELLED;
  }

  private int maxRetryNum() {
    return given(ownMaxRetryNum, type.maxRetryNum);
  }

  /** {@code null}: unexpected failures count as any other. */
  private Integer maxUnexpectedRetries() {
    return given(ownMaxUnexpectedRetries, type.maxUnexpectedRetries);
  }

  private int maxRetryInterval() {
    return type.retryCap(ownMaxRetryInterval);
  }

  private void log(String why, long now) {
    log.add(new EndedHold(trace, why, now - holdTime));
    if (log.size() > HISTORY + 1) {
      log.remove(0);
    }
  }

  private String shownLog() {
    int last = log.size() - 1;
    return last < 0 ? clientsLog : EndedHold.show(log.get(last), log.subList(0, last));
  }

  /** Those that may hold it, sorted; empty for all. */
  List<String> workers() {
    return workers.stream().sorted().toList();
  }

  TaskView seenAt(long now) {
    return new TaskView(
        birth.label(),
        birth.table(),
        birth.body().taskType(),
        user,
        stage,
        status,
        priority,
        orderTime,
        failures,
        maxRetryNum(),
        maxRetryInterval(),
        maxUnexpectedRetries() == null ? null : (Integer) unexpectedFailures,
        maxUnexpectedRetries(),
        shownLog(),
        context,
        birth.time(),
        epoch,
        status == EXECUTING ? Math.max(0, leaseEnd - now) : null,
        worker,
        deliveryCount,
        trace,
        progress,
        result);
  }

  private static boolean isSame(Object wanted, Object standing) {
    return wanted == null || wanted.equals(standing);
  }

  private static <T> T given(T value, T otherwise) {
    return value != null ? value : otherwise;
  }
}
