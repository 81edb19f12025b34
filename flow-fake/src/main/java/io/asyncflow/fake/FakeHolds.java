package io.asyncflow.fake;

import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TypeSetting;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.rules.HoldEnd;
import io.asyncflow.rules.Leases;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TypeRules;
import io.asyncflow.rules.field.HoldFields;
import io.asyncflow.rules.field.SentFields;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** The holds of the tasks of a {@link FakeFlowServer}, and their leases, guarded by its lock. */
final class FakeHolds {

  private final FakeFlowServer server;
  private final FakeTasks tasks;
  private final Map<String, Long> parked = new HashMap<>();
  private long nextHold = 1;

  FakeHolds(FakeFlowServer server, FakeTasks tasks) {
    this.server = server;
    this.tasks = tasks;
  }

  /** The number of the next hold; later ones have higher numbers. */
  long nextHold() {
    return nextHold;
  }

  /** The hold that a client sent, with defaults applied. */
  HoldRequest checked(HoldRequest sent) {
    SentFields in = server.sent().withAll(sent);
    HoldRequest request = HoldFields.hold(in);
    in.refuseIfBad();
    TaskTypeSettings type = server.types.named(request.taskType());
    if (request.workerId().isEmpty() && TypeRules.of(type).isResident()) {
      in.refuse(
          "workerId",
          "is required for type "
              + request.taskType()
              + ", whose max_processing_time is more than 30 days");
      in.refuseIfBad();
    }
    return request;
  }

  /** The tasks for a hold, which waits for some as long as it says. */
  List<Task> hold(HoldRequest request) {
    // A repeat replaces the parked first call.
    long number = nextHold++;
    String parkKey = request.workerId() + "/" + request.holdId();
    parked.put(parkKey, number);
    server.notifyAll();
    long waitMs = Objects.requireNonNullElse(request.waitMs(), 0);
    long end = server.nanos() + waitMs * 1_000_000L;
    while (true) {
      server.faults.before();
      long lookTime = server.millis();
      List<Task> held = holdNow(request);
      long remaining = end - server.nanos();
      boolean ends = parked.get(parkKey) != number || server.workers.drainEnds(request, number);
      if (!held.isEmpty() || remaining <= 0 || ends) {
        server.faults.after();
        return held;
      }
      park(remaining, request, lookTime);
    }
  }

  /**
   * Waits for a change, the end of the park, or the moment at which a task becomes due.
   *
   * @param lookTime when the hold last looked: what was due then waits for a change
   */
  private void park(long nanosLeft, HoldRequest request, long lookTime) {
    long now = server.millis();
    long nextDue =
        tasks
            .in(TaskStatus.WAITING)
            .mapToLong(task -> task.row.orderTime() + patienceMs(request, task.row))
            .filter(dueTime -> dueTime > lookTime)
            .map(dueTime -> Math.max(1, dueTime - now))
            .min()
            .orElse(Long.MAX_VALUE);
    long nextFire = server.schedules.nextWakeTime() - now;
    try {
      // Also wakes periodically, because a lease may have expired.
      long soon = Math.min(50, Math.min(nextDue, nextFire));
      server.wait(Math.max(1, Math.min(soon, nanosLeft / 1_000_000)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FlowUnreachableException("interrupted while parked", e);
    }
  }

  private List<Task> holdNow(HoldRequest request) {
    server.sweep();
    TaskTypeSettings type = server.types.named(request.taskType());
    server.jobs.setAside();
    List<FakeTask> held = heldBefore(request, type);
    if (held.isEmpty() && mayTake(request, type)) {
      held = due(request, type);
      String traceId = UUID.randomUUID().toString();
      held.forEach(task -> take(task, request, traceId));
    }
    return held.stream().map(tasks::toTask).toList();
  }

  /** The tasks that the same hold has got before. */
  private List<FakeTask> heldBefore(HoldRequest request, TaskTypeSettings type) {
    return executing(type).stream()
        .filter(task -> request.holdId() != null && request.holdId().equals(task.holdId))
        .filter(task -> task.row.workerId().equals(request.workerId()))
        .sorted(FakeTask.BY_DUE_TIME)
        .toList();
  }

  private List<FakeTask> executing(TaskTypeSettings type) {
    return tasks.in(TaskStatus.EXECUTING).filter(task -> server.types.of(task) == type).toList();
  }

  private boolean mayTake(HoldRequest request, TaskTypeSettings type) {
    return !Integer.valueOf(1).equals(type.paused())
        && !isTooOld(request)
        && !server.pauses.hasWorker(request.workerId());
  }

  /** Whether the worker is older than its type allows. */
  boolean isTooOld(HoldRequest request) {
    int lowest = orZero(server.types.named(request.taskType()).minWorkerVersion());
    return orZero(request.workerVersion()) < lowest;
  }

  private List<FakeTask> due(HoldRequest request, TaskTypeSettings type) {
    long now = server.millis();
    return tasks
        .in(TaskStatus.WAITING)
        .filter(task -> task.row.orderTime() + patienceMs(request, task.row) <= now)
        .filter(task -> server.types.of(task) == type)
        .filter(task -> task.mayBeHeldBy(request.workerId()))
        .filter(
            task ->
                request.stages() == null
                    || request.stages().isEmpty()
                    || request.stages().contains(task.row.stage()))
        .filter(task -> !server.pauses.hasStage(task.created.taskType(), task.row.stage()))
        .sorted(
            Comparator.comparingLong((FakeTask task) -> patienceMs(request, task.row))
                .thenComparing(FakeTask.BY_DUE_TIME))
        .limit(Math.min(limit(request, type), freeWithinMaxExecuting(type)))
        .toList();
  }

  private static int limit(HoldRequest request, TaskTypeSettings type) {
    return orZero(request.limit()) == 0
        ? TypeSetting.SCHEDULE_LIMIT.orUsual(type.scheduleLimit())
        : request.limit();
  }

  /** How many more tasks of the type may execute. */
  private int freeWithinMaxExecuting(TaskTypeSettings type) {
    int maxExecuting = orZero(type.maxExecuting());
    return maxExecuting == 0
        ? Integer.MAX_VALUE
        : Math.max(0, maxExecuting - executing(type).size());
  }

  /** How long the task must have been due for this hold to claim it. */
  private static long patienceMs(HoldRequest request, TaskRow row) {
    boolean preferred = request.prefer() != null && request.prefer().contains(row.stage());
    return preferred ? 0 : orZero(request.othersAfterMs());
  }

  private void take(FakeTask task, HoldRequest request, String traceId) {
    String worker = request.workerId();
    long now = server.millis();
    long lease = Leases.first(worker, server.types.rulesOf(task)).toMillis();
    task.row = task.row.held(worker, traceId, now, now + lease);
    tasks.tell(EventKind.HELD, task, null);
    task.holdId = request.holdId();
  }

  private static int orZero(Integer value) {
    return Objects.requireNonNullElse(value, 0);
  }

  /** Transfers the task from its holder to another worker, as after an expired lease. */
  void steal(String taskId) {
    FakeTask task = tasks.get(taskId);
    task.row = task.row.copy().status(TaskStatus.WAITING).row();
    take(task, new HoldRequest(null, 1, "thief", 0, UUID.randomUUID().toString(), null), "stolen");
  }

  /** Renews a lease, and tells how it is. */
  LeaseState renew(String workerId, HeldTask held) {
    FakeTask task = tasks.find(held.taskId());
    if (task == null) {
      return Leases.told(held, false, null, 0);
    }
    long now = server.millis();
    task.row = Leases.renewed(task.row, held, workerId, server.types.rulesOf(task), now);
    TaskRow row = task.row;
    boolean isHolders = row.leaseEpoch() == held.leaseEpoch() && row.workerId().equals(workerId);
    return Leases.told(held, isHolders, row.status(), row.leaseEnd() - now);
  }

  /** Ends the leases that have run out. */
  void endLeases() {
    List<FakeTask> ended =
        tasks
            .in(TaskStatus.EXECUTING)
            .filter(task -> task.row.leaseEnd() <= server.millis())
            .toList();
    for (FakeTask task : ended) {
      tasks.apply(task, HoldEnd.expired(tasks.rowNow(task), server.types.rulesOf(task)));
    }
    ended.forEach(tasks::tellOfEnd);
  }
}
