package io.asyncflow.flowsvr.job.core;

import io.asyncflow.api.JobState;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.event.log.EventLog;
import io.asyncflow.flowsvr.event.log.NewEvent;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.db.AfterCommit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Writes the events of jobs, and publishes that jobs have changed. The statements that change jobs
 * compute the state themselves, so the state is read before and after them, if any type keeps
 * events. Thread-safe.
 */
@Component
public class JobEvents {

  private final EventLog log;
  private final JobStore jobs;
  private final List<JobLedger> ledgers;
  private final Events events;

  JobEvents(EventLog log, JobStore jobs, List<JobLedger> ledgers, Events events) {
    this.log = log;
    this.jobs = jobs;
    this.ledgers = ledgers;
    this.events = events;
  }

  /** Makes a change of a job, as {@link #change(Collection, Predicate)}. */
  public boolean change(long jobId, Predicate<Collection<Long>> change) {
    return change(List.of(jobId), change);
  }

  /**
   * Makes a change of jobs in the caller's transaction, and writes the state of those that have
   * another one afterwards. The ledgers are told of ends when all jobs are changed. If they have
   * changed, it publishes so after the commit: they may need a step.
   *
   * @param change returns whether it changed anything, and adds to what it gets the ids of the jobs
   *     that have ended by it
   */
  public boolean change(Collection<Long> jobIds, Predicate<Collection<Long>> change) {
    if (!TransactionSynchronizationManager.isSynchronizationActive()) {
      throw new IllegalStateException("a task of a job changed outside of a transaction");
    }
    boolean isInUse = log.isInUse(EventKind.JOB_STATE);
    Map<Long, JobState> before = isInUse ? jobs.lockStates(jobIds) : Map.of();
    Set<Long> ended = new TreeSet<>();
    boolean isChanged = change.test(ended);
    if (isInUse) {
      tellChanged(before, jobIds);
    }
    if (!ended.isEmpty()) {
      List<JobRow> rows = jobs.find(ended);
      ledgers.forEach(ledger -> ledger.ended(rows));
    }
    if (isChanged) {
      List<JobChanged> news = jobIds.stream().map(JobChanged::new).toList();
      AfterCommit.run(() -> news.forEach(events::publish));
    }
    return isChanged;
  }

  /** Writes the first state of a job in the transaction that creates it. */
  void created(long jobId) {
    if (log.isInUse(EventKind.JOB_STATE)) {
      tellChanged(Map.of(), List.of(jobId));
    }
  }

  /** Writes in the caller's transaction that a job was paused, or resumed. */
  public void tell(EventKind kind, long jobId) {
    if (log.isInUse(kind)) {
      jobs.find(List.of(jobId)).forEach(job -> tell(kind, job));
    }
  }

  private void tell(EventKind kind, JobRow job) {
    if (log.keeps(job.jobType(), kind)) {
      log.add(NewEvent.of(kind, job.jobType(), eventOf(job)));
    }
  }

  private void tellChanged(Map<Long, JobState> before, Collection<Long> jobIds) {
    for (JobRow job : jobs.find(jobIds)) {
      if (job.state() != before.get(job.id())) {
        tell(EventKind.JOB_STATE, job);
      }
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
