package io.asyncflow.flowsvr.compose.job.upkeep;

import io.asyncflow.api.JobState;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.job.core.JobChanger;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.job.core.JobStore.Unfinished;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore.Child;
import io.asyncflow.flowsvr.queue.query.TaskQueries;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.JobCounts;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.JobRules;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/**
 * Finds and repairs jobs that contradict the rows of their tasks: a wrong count, or a job that
 * waits for a task that has ended. No code path of this server causes that; a restored backup, a
 * manual edit or a bug may, and the job would wait for ever.
 *
 * <p>It counts without locks and is still exact: a transaction that makes a child final also
 * increments the version of its job. So a count between two reads of the same version is
 * consistent, and a repair is guarded by that version.
 *
 * <p>Unfinished jobs are audited in turn. The counts of a job that has ended hold nothing up; a
 * retry makes it an unfinished one.
 *
 * <p>Not thread-safe; may run on several servers at once.
 */
@Service
public class JobAudit {

  private static final Logger log = LoggerFactory.getLogger(JobAudit.class);

  /** Jobs that changed more recently are skipped: their changes may be under way. */
  private static final Duration QUIET = Duration.ofSeconds(60);

  private static final int JOBS = 200;

  /** Children counted in one round; the job that exceeds the limit is the last one. */
  private static final int CHILDREN = 20_000;

  private static final int PAGE = 1_000;

  private final JobStore jobs;
  private final JobTaskStore jobTasks;
  private final JobChanger changer;
  private final TaskQueries tasks;
  private final TaskFamilies families;
  private final RetryingTransactions transactions;
  private Unfinished lastUnfinished;
  private int childrenLeft;

  JobAudit(
      JobStore jobs,
      JobTaskStore jobTasks,
      JobChanger changer,
      TaskQueries tasks,
      TaskFamilies families,
      RetryingTransactions transactions) {
    this.jobs = jobs;
    this.jobTasks = jobTasks;
    this.changer = changer;
    this.tasks = tasks;
    this.families = families;
    this.transactions = transactions;
  }

  /**
   * Audits; returns the number of repaired jobs.
   *
   * @throws RuntimeException the first failure, after all other jobs of the round
   */
  public int runOnce() {
    return runOnce(QUIET);
  }

  int runOnce(Duration quiet) {
    childrenLeft = CHILDREN;
    FailureCollector failures = new FailureCollector();
    int repaired = 0;
    List<Unfinished> page = jobs.unfinished(lastUnfinished, quiet, JOBS);
    for (Unfinished job : page) {
      if (childrenLeft <= 0) {
        break;
      }
      lastUnfinished = job;
      repaired += failures.orElse(0, () -> audit(job.id(), quiet));
    }
    if (page.size() < JOBS && childrenLeft > 0) {
      lastUnfinished = null; // wrap around
    }
    failures.throwFirst();
    return repaired;
  }

  private int audit(long id, Duration quiet) {
    boolean isRepaired =
        jobs.find(id)
            .filter(job -> isQuiet(job, quiet))
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
                      case RUNNING, RETRYING -> isMiscounted(job);
                      case SUCCESS, FAILED, CANCELLED -> false; // since the page was read
                    })
            .isPresent();
    return isRepaired ? 1 : 0;
  }

  /** The rows of stopping jobs change repeatedly until they end. */
  private static boolean isQuiet(JobRow job, Duration quiet) {
    return job.state() == JobState.STOPPING || job.now() - job.modifyTime() >= quiet.toMillis();
  }

  /** Whether the job waited for a task that has ended or no longer exists; if so, repairs it. */
  private boolean hasLost(JobRow job, JobPlace place, TaskId id) {
    Optional<TaskRow> row = tasks.find(id);
    TaskStatus status = row.map(TaskRow::status).orElse(TaskStatus.FAILED);
    if (!status.isFinal()) {
      return false;
    }
    return repair(
        job,
        "it waited for %s, which is %s".formatted(id, row.isPresent() ? status : "no more"),
        now -> JobRules.afterOwn(now, place, id, row.orElse(null)));
  }

  /**
   * Whether the merge of a stopping job has not ended. The counts cover children only: by them
   * alone the job would end while its merge runs, and no step would cancel the merge.
   */
  private boolean isMerging(JobRow job) {
    return job.mergeTask() != null
        && tasks.find(job.mergeTask()).filter(merge -> !merge.status().isFinal()).isPresent();
  }

  private boolean isMiscounted(JobRow job) {
    JobCounts rows = countsOf(job).orElse(job.counts());
    JobRow right = JobRules.judged(job.counting(rows));
    return !right.equals(job)
        && repair(
            job,
            "it counted %s, and its children are %s".formatted(job.counts(), rows),
            now -> JobRules.judged(now.counting(rows)));
  }

  /**
   * Counts the children; empty if one of their tables was dropped, in which all tasks had ended and
   * been counted.
   */
  private Optional<JobCounts> countsOf(JobRow job) {
    JobCounts sum = JobCounts.NONE;
    for (int from = 0; from < job.released(); from += PAGE) {
      List<Child> page = jobTasks.tasks(job.id(), job.childType(), from, PAGE);
      Map<TaskTable, List<Long>> numbers = families.numbers(page.stream().map(Child::task));
      if (numbers.values().stream().mapToInt(List::size).sum() < page.size()) {
        return Optional.empty();
      }
      for (Map.Entry<TaskTable, List<Long>> ofTable : numbers.entrySet()) {
        sum = sum.plus(jobTasks.counts(ofTable.getKey(), ofTable.getValue()));
      }
      childrenLeft -= Math.min(PAGE, job.released() - from);
    }
    return Optional.of(sum);
  }

  private boolean repair(JobRow job, String reason, UnaryOperator<JobRow> rule) {
    boolean isRepaired =
        transactions.execute(
            () ->
                changer.change(
                    job.id(), now -> now.version() == job.version() ? rule.apply(now) : now));
    if (isRepaired) {
      JobState now = jobs.find(job.id()).map(JobRow::state).orElse(job.state());
      log.warn("job {} was {}: {}; it is {} now", job.id(), job.state(), reason, now);
    }
    return isRepaired;
  }
}
