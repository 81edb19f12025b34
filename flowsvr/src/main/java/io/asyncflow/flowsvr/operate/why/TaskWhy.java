package io.asyncflow.flowsvr.operate.why;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.Why;
import io.asyncflow.api.find.WhyReason;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.TimedCache;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.operate.why.Facts.Limits;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import io.asyncflow.flowsvr.task.lane.Lanes;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.CellRate;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.stereotype.Service;

/** Says why a task does not run: reads the facts, and has the rules judge them. Thread-safe. */
@Service
class TaskWhy {

  private static final Duration FRESH = Duration.ofSeconds(2);

  private final WhyStore store;
  private final TaskStore tasks;
  private final JobStore jobs;
  private final JobTaskStore children;
  private final Lanes lanes;
  private final TaskFamilies families;
  private final TaskTypes types;
  private final TaskHolds holds;

  /** What workers said of themselves, for all who ask within two seconds. */
  private final TimedCache<List<DescribedWorker>> workers;

  TaskWhy(
      WhyStore store,
      TaskStore tasks,
      JobStore jobs,
      JobTaskStore children,
      Lanes lanes,
      TaskFamilies families,
      TaskTypes types,
      Node node,
      TaskHolds holds) {
    this.store = store;
    this.tasks = tasks;
    this.jobs = jobs;
    this.children = children;
    this.lanes = lanes;
    this.families = families;
    this.types = types;
    this.workers = new TimedCache<>(List.of(), store::workers, node::nanoTime);
    this.holds = holds;
  }

  /**
   * Why a task does not run.
   *
   * @throws TaskNotFoundException if the caller sees no such task
   */
  Why of(TaskId id, Caller caller) {
    TaskRow row = row(id, caller);
    Facts facts = facts(row, caller);
    boolean waits = row.status() == TaskStatus.WAITING || row.status() == TaskStatus.PAUSED;
    List<WhyReason> reasons = (waits ? WaitingReasons.of(facts) : OtherReasons.of(facts)).all();
    return new Why(
        id.toString(),
        row.status().code(),
        headline(reasons),
        reasons,
        facts.ahead() == null ? null : counted(facts.ahead()),
        row.now());
  }

  /**
   * Why a child of a job does not run, also while it is no task yet.
   *
   * @throws FlowException with {@link ErrorCode#NO_SUCH_JOB} if the caller sees no such child
   */
  Why ofChild(long jobId, int index, Caller caller) {
    JobRow job =
        jobs.find(jobId, caller)
            .filter(found -> found.total() == null || index < found.total())
            .orElseThrow(
                () ->
                    new FlowException(
                        ErrorCode.NO_SUCH_JOB, "no job " + jobId + " has the child " + index));
    return children.tasks(jobId, job.childType(), index, 1).stream()
        .findFirst()
        .map(child -> of(child.task(), caller))
        .orElseGet(
            () -> {
              List<WhyReason> reasons = OtherReasons.ofStaged(job).all();
              return new Why(null, null, headline(reasons), reasons, null, store.now());
            });
  }

  private static String headline(List<WhyReason> reasons) {
    return reasons.isEmpty() ? null : reasons.get(0).code();
  }

  private static BoundedCount counted(int ahead) {
    return ahead < WaitingReasons.MOST_AHEAD
        ? BoundedCount.exactly(ahead)
        : BoundedCount.atLeast(ahead);
  }

  /**
   * The row of a task.
   *
   * @throws TaskNotFoundException if the caller sees no such task
   */
  TaskRow row(TaskId id, Caller caller) {
    if (!caller.seesType(id.type().name()) || !families.has(id.table())) {
      throw notFound(id, caller);
    }
    return tasks
        .find(id)
        .filter(row -> caller.seesUser(row.userId()))
        .orElseThrow(() -> notFound(id, caller));
  }

  private TaskNotFoundException notFound(TaskId id, Caller caller) {
    return caller.seesType(id.type().name()) && families.hasDropped(id.table())
        ? TaskNotFoundException.dropped(id)
        : new TaskNotFoundException(id);
  }

  private Facts facts(TaskRow row, Caller caller) {
    TaskId id = row.id();
    TaskTypeConfig type = types.find(id.type()).orElse(null);
    boolean waits = row.status() == TaskStatus.WAITING;
    boolean executes = row.status() == TaskStatus.EXECUTING;
    List<TaskTable> live = families.find(id.type(), RECENT).map(TaskFamily::live).orElse(List.of());
    boolean isDue = row.orderTime() <= row.now();
    List<DescribedWorker> workers = waits || executes ? this.workers.within(FRESH) : List.of();
    Set<String> laneWorkers = waits ? lanes.workersOf(row.lane()) : Set.of();
    boolean asksWhoHolds = waits && WaitingReasons.asksWhoHolds(row, workers, laneWorkers);
    JobRow job = row.place() == null ? null : jobs.find(row.place().jobId(), caller).orElse(null);
    return new Facts(
        row,
        type,
        waits ? store.pauses(id.type(), row.stage()) : List.of(),
        workers,
        laneWorkers,
        waits && type != null ? limits(type, live) : Limits.NONE,
        asksWhoHolds ? store.holders(row) : List.of(),
        asksWhoHolds && holds.hasUnnamedPollers(id.type()),
        waits && isDue && caller.seesAllUsers() ? store.ahead(row, live) : null,
        job,
        waits || executes ? List.of() : store.acts(id, job == null ? null : job.id()),
        executes ? store.lastSweep().orElse(null) : null,
        caller.workers()::contains,
        caller.mayOneOf(List.of(Verb.GOVERN_READ, Verb.PAUSE)),
        caller.may(Verb.CONTEXT_READ));
  }

  private Limits limits(TaskTypeConfig type, List<TaskTable> live) {
    Integer executing =
        type.maxExecuting() > 0 ? store.executing(live, type.maxExecuting()) : null; // as a claim
    long nextInMs = 0;
    if (type.rateLimit() > 0) {
      CellRate rate = CellRate.perSecond(type.rateLimit());
      WhyStore.Spent spent = store.spent(type.type());
      long from = rate.chargedFrom(spent.spentUntil(), spent.now());
      nextInMs = rate.permits(from, spent.now()) > 0 ? 0 : rate.waitMs(from, 1, spent.now());
    }
    return new Limits(executing, nextInMs);
  }
}
