package io.asyncflow.flowsvr.job.core;

import io.asyncflow.api.JobState;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.event.log.EventLog;
import io.asyncflow.flowsvr.event.log.NewEvent;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Writes the events of jobs. The statements that change jobs compute the state themselves, so the
 * state is read before and after them, if any type keeps events. Thread-safe.
 */
@Component
public class JobEvents {

  private final EventLog log;
  private final JobStore jobs;

  JobEvents(EventLog log, JobStore jobs) {
    this.log = log;
    this.jobs = jobs;
  }

  /** Makes a change of a job, as {@link #with(Collection, Supplier)}. */
  public <T> T with(long jobId, Supplier<T> change) {
    return with(List.of(jobId), change);
  }

  /**
   * Makes a change of jobs in the caller's transaction, and writes the state of those that have
   * another one afterwards.
   */
  public <T> T with(Collection<Long> jobIds, Supplier<T> change) {
    if (!log.isInUse(EventKind.JOB_STATE)) {
      return change.get();
    }
    Map<Long, JobState> before = jobs.lockStates(jobIds);
    T result = change.get();
    tellChanged(before, jobIds);
    return result;
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
