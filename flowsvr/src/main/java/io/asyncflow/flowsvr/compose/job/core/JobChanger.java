package io.asyncflow.flowsvr.compose.job.core;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.db.AfterCommit;
import io.asyncflow.flowsvr.task.event.log.EventLog;
import io.asyncflow.flowsvr.task.event.log.NewEvent;
import io.asyncflow.flowsvr.task.row.TaskLedger;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.JobRules;
import io.asyncflow.rules.TaskTransition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Changes the state and the counts of jobs by {@link JobRules}; nothing else does. Each change is
 * told: by an event of the new state, to the ledgers if the job has ended, and after the commit.
 *
 * <p>It writes in the transaction that makes tasks final. So the transaction of the last child
 * completes the job, on whichever server it runs, and a crash leaves either both changes or none.
 * Thread-safe.
 */
@Component
@Order(TaskLedger.JOBS)
public class JobChanger implements TaskLedger {

  private final EventLog log;
  private final JobStore jobs;
  private final List<JobLedger> ledgers;
  private final Events events;

  JobChanger(EventLog log, JobStore jobs, List<JobLedger> ledgers, Events events) {
    this.log = log;
    this.jobs = jobs;
    this.ledgers = ledgers;
    this.events = events;
  }

  @Override
  public void record(List<TaskTransition> changes) {
    Map<Long, List<TaskTransition>> byJob =
        changes.stream()
            .filter(change -> change.after().place() != null && change.isOfEnd())
            .collect(groupingBy(change -> change.after().place().jobId(), TreeMap::new, toList()));
    if (!byJob.isEmpty()) {
      change(byJob.keySet(), job -> JobRules.after(job, byJob.get(job.id())));
    }
  }

  /** Changes a job, as {@link #change(Collection, UnaryOperator)}; false if nothing changes. */
  public boolean change(long jobId, UnaryOperator<JobRow> rule) {
    return change(List.of(jobId), rule);
  }

  /**
   * Locks jobs in the caller's transaction, and writes what becomes of them by a rule: one
   * statement for the locks, and one for each job that changes. The ledgers are told of ends when
   * all jobs are changed. It publishes after the commit that they have changed: they may need a
   * step.
   */
  private boolean change(Collection<Long> jobIds, UnaryOperator<JobRow> rule) {
    if (!TransactionSynchronizationManager.isSynchronizationActive()) {
      throw new IllegalStateException("a task of a job changed outside of a transaction");
    }
    List<JobRow> ends = new ArrayList<>();
    List<JobChanged> news = new ArrayList<>();
    for (JobRow before : jobs.lock(jobIds)) {
      JobRow changed = rule.apply(before);
      if (changed != before) {
        JobRow after = JobRules.written(changed);
        jobs.write(before, after);
        news.add(new JobChanged(after.id()));
        if (after.state() != before.state()) {
          tell(EventKind.JOB_STATE, after);
        }
        if (after.endTime() != null && changed.endTime() == null) {
          ends.add(after);
        }
      }
    }
    if (!ends.isEmpty()) {
      ledgers.forEach(ledger -> ledger.ended(ends));
    }
    AfterCommit.run(() -> news.forEach(events::publish));
    return !news.isEmpty();
  }

  /** Writes in the caller's transaction that a job was paused, or resumed. */
  public void tell(EventKind kind, long jobId) {
    if (log.isInUse(kind)) {
      jobs.find(jobId).ifPresent(job -> tell(kind, job));
    }
  }

  /** Writes in the caller's transaction what has happened to a job. */
  void tell(EventKind kind, JobRow job) {
    if (log.keeps(job.jobType(), kind)) {
      log.add(NewEvent.of(kind, job.jobType(), eventOf(job)));
    }
  }

  private static Event eventOf(JobRow job) {
    return Event.ofJob(
        Long.toString(job.id()),
        job.userId(),
        job.state().name(),
        job.fire() == null ? null : Long.toString(job.fire().scheduleId()),
        job.fire() == null ? null : job.fire().fireTime(),
        job.errMsg());
  }
}
