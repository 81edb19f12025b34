package io.asyncflow.flowsvr.job.upkeep;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;

import io.asyncflow.api.JobState;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.job.core.JobCountStore;
import io.asyncflow.flowsvr.job.core.JobCounts;
import io.asyncflow.flowsvr.job.core.JobRow;
import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.job.core.JobTaskStore;
import io.asyncflow.flowsvr.job.core.JobTaskStore.Child;
import io.asyncflow.flowsvr.job.upkeep.JobAuditStore.Ended;
import io.asyncflow.flowsvr.query.TaskQueries;
import io.asyncflow.flowsvr.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.system.concurrent.RoundRobin;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.JobLedger.Change;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/**
 * Looks for jobs that say something else than the rows of their tasks, and lets the rows win: a
 * count that is wrong, a job that waits for what has ended. No code path of this server makes one;
 * a restored backup, an edit by hand or a bug does, and the job would wait for ever.
 *
 * <p>It takes no lock while it counts, and is exact all the same: whatever makes a child final
 * raises the version of its job in the same commit. So what was counted between two looks at one
 * version is what is there, and a difference is repaired only if the version is still the same.
 *
 * <p>Jobs that have not ended are looked at in turn, those that have once, a while after; a job
 * that an operator has let a child of run again after its end is no exception, for its counts say
 * so.
 *
 * <p>For one thread; harmless on several servers.
 */
@Service
public class JobAudit {

  private static final Logger log = LoggerFactory.getLogger(JobAudit.class);

  /** What is at work is not looked at: what it lacks it may be about to get. */
  private static final Duration QUIET = Duration.ofSeconds(60);

  /** How far back a server that begins to lead looks for jobs that have ended. */
  private static final Duration HINDSIGHT = Duration.ofHours(1);

  private static final int JOBS = 200;

  /** Types whose ended jobs one round asks for; the next one goes on. */
  private static final int TYPES = 1_000;

  /** Children of one round; the job that goes over it is the last. */
  private static final int CHILDREN = 20_000;

  private static final int PAGE = 1_000;

  private final JobStore jobs;
  private final JobTaskStore jobTasks;
  private final JobCountStore counts;
  private final JobAuditStore store;
  private final TaskQueries tasks;
  private final TaskFamilies families;
  private final RetryingTransactions transactions;
  private final RoundRobin<TaskType> turns = new RoundRobin<>(TYPES);
  private final Map<TaskType, Ended> lastEnded = new HashMap<>();
  private long lastUnfinished;
  private int childrenLeft;

  JobAudit(
      JobStore jobs,
      JobTaskStore jobTasks,
      JobCountStore counts,
      JobAuditStore store,
      TaskQueries tasks,
      TaskFamilies families,
      RetryingTransactions transactions) {
    this.jobs = jobs;
    this.jobTasks = jobTasks;
    this.counts = counts;
    this.store = store;
    this.tasks = tasks;
    this.families = families;
    this.transactions = transactions;
  }

  /**
   * Returns how many jobs were repaired.
   *
   * @throws RuntimeException the first failure, after all the other jobs of the round
   */
  public int runOnce() {
    return runOnce(QUIET);
  }

  int runOnce(Duration quiet) {
    List<TaskType> types = store.jobTypes();
    if (types.isEmpty()) {
      return 0; // as almost everywhere
    }
    childrenLeft = CHILDREN;
    FailureCollector failures = new FailureCollector();
    int repaired = auditUnfinished(quiet, failures);
    repaired += auditEnded(turns.next(types), quiet, failures);
    failures.throwFirst();
    return repaired;
  }

  private int auditUnfinished(Duration quiet, FailureCollector failures) {
    int repaired = 0;
    List<Long> page = store.unfinished(lastUnfinished, quiet, JOBS);
    for (long id : page) {
      if (childrenLeft <= 0) {
        return repaired;
      }
      lastUnfinished = id;
      repaired += failures.orElse(false, () -> audit(id)) ? 1 : 0;
    }
    if (page.size() < JOBS) {
      lastUnfinished = 0; // once around
    }
    return repaired;
  }

  private int auditEnded(List<TaskType> types, Duration quiet, FailureCollector failures) {
    if (!lastEnded.keySet().containsAll(types)) {
      Ended begin = store.endedBefore(HINDSIGHT);
      types.forEach(type -> lastEnded.putIfAbsent(type, begin));
    }
    Map<TaskType, Ended> last = types.stream().collect(toMap(identity(), lastEnded::get));
    Map<TaskType, List<Ended>> ended = store.endedAfter(last, quiet, JOBS);
    int repaired = 0;
    for (TaskType type : ended.keySet()) {
      for (Ended next : ended.get(type)) {
        if (childrenLeft <= 0) {
          return repaired;
        }
        lastEnded.put(type, next);
        repaired += failures.orElse(false, () -> audit(next.id())) ? 1 : 0;
      }
    }
    return repaired;
  }

  private boolean audit(long id) {
    return jobs.find(id)
        .filter(
            job ->
                switch (job.state()) {
                  case SPLITTING -> hasLost(job, JobPlace.splitOf(id), job.splitTask());
                  case MERGING ->
                      job.mergeTask() != null
                          && hasLost(job, JobPlace.mergeOf(id), job.mergeTask());
                  case STOPPING ->
                      job.total() == null
                          ? hasLost(job, JobPlace.splitOf(id), job.splitTask())
                          : !isMerging(job) && isMiscounted(job);
                  case RUNNING, RETRYING, SUCCESS, FAILED, CANCELLED -> isMiscounted(job);
                })
        .isPresent();
  }

  /** Whether it waited for a task that has ended, or is no more; it does not any longer. */
  private boolean hasLost(JobRow job, JobPlace place, TaskId id) {
    Optional<TaskRow> row = tasks.find(id);
    if (row.isPresent() && !row.get().status().isFinal()) {
      return false;
    }
    Change end =
        row.map(task -> changeOf(task, place))
            .orElseGet(
                () ->
                    new Change(id, place, TaskStatus.EXECUTING, TaskStatus.FAILED, 0, null, null));
    return repair(
        job,
        "it waited for %s, which is %s"
            .formatted(id, row.map(task -> task.status().name()).orElse("no more")),
        () -> counts.record(List.of(end)));
  }

  private static Change changeOf(TaskRow task, JobPlace place) {
    return new Change(
        task.id(),
        place,
        TaskStatus.EXECUTING,
        task.status(),
        task.leaseEpoch(),
        task.result(),
        task.scheduleLog());
  }

  /**
   * Whether the merge of a job that stops has not ended. The counts are those of the children: by
   * them alone the job would end while its merge goes on, and nothing would cancel that any more.
   */
  private boolean isMerging(JobRow job) {
    return job.mergeTask() != null
        && tasks.find(job.mergeTask()).filter(merge -> !merge.status().isFinal()).isPresent();
  }

  private boolean isMiscounted(JobRow job) {
    Optional<JobCounts> found = countsOf(job);
    if (found.isEmpty() || found.get().equals(job.counts()) && !isOver(job, found.get())) {
      return false;
    }
    JobCounts rows = found.get();
    return repair(
        job,
        "it counted %s, and its children are %s".formatted(job.counts(), rows),
        () -> {
          store.setCounts(job.id(), rows);
          counts.judge(job.id());
        });
  }

  /** Whether by these counts the job should not be in its state any more. */
  private static boolean isOver(JobRow job, JobCounts rows) {
    return switch (job.state()) {
      case RUNNING -> rows.sum() == job.total();
      case STOPPING -> rows.sum() == job.released();
      default -> false;
    };
  }

  /** Empty if a table of them was dropped: what was in it had ended, and was counted. */
  private Optional<JobCounts> countsOf(JobRow job) {
    JobCounts sum = JobCounts.NONE;
    for (int from = 0; from < job.released(); from += PAGE) {
      List<Child> page = jobTasks.tasks(job.id(), job.childType(), from, PAGE);
      for (Map.Entry<TaskTable, List<Child>> ofTable : Child.byTable(page).entrySet()) {
        if (!families.has(ofTable.getKey())) {
          return Optional.empty();
        }
        sum = sum.plus(countsOf(ofTable.getKey(), Child.numbersOf(ofTable.getValue())));
      }
      childrenLeft -= Math.min(PAGE, job.released() - from);
    }
    return Optional.of(sum);
  }

  /** A child without a row never ends: it is as good as cancelled. */
  private JobCounts countsOf(TaskTable table, List<Long> numbers) {
    Map<TaskStatus, Integer> statuses = store.statuses(table, numbers);
    int rows = statuses.values().stream().mapToInt(Integer::intValue).sum();
    return new JobCounts(
        statuses.getOrDefault(TaskStatus.SUCCESS, 0),
        statuses.getOrDefault(TaskStatus.FAILED, 0),
        statuses.getOrDefault(TaskStatus.CANCELLED, 0) + numbers.size() - rows);
  }

  private boolean repair(JobRow job, String what, Runnable repair) {
    BooleanSupplier ifUnchanged =
        () -> {
          if (!store.lockIfUnchanged(job)) {
            return false;
          }
          repair.run();
          return true;
        };
    boolean isRepaired = transactions.execute(ifUnchanged::getAsBoolean);
    if (isRepaired) {
      JobState now = jobs.find(job.id()).map(JobRow::state).orElse(job.state());
      log.warn("job {} was {}: {}; it is {} now", job.id(), job.state(), what, now);
    }
    return isRepaired;
  }
}
