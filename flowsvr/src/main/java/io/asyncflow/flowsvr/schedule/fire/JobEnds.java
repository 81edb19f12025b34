package io.asyncflow.flowsvr.schedule.fire;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.job.core.JobRow;
import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.job.core.JobsChanged;
import io.asyncflow.flowsvr.schedule.core.Run;
import io.asyncflow.flowsvr.schedule.slice.SchedulesInUse;
import io.asyncflow.flowsvr.system.concurrent.DaemonThreads;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Records the ends of jobs that fires created, after their commit. A kill in between leaves a fire
 * without its end, which the audit of schedules finds. Thread-safe.
 */
@Component
public class JobEnds implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(JobEnds.class);

  private final JobStore jobs;
  private final RunEnds ends;
  private final SchedulesInUse inUse;
  private final RetryingTransactions transactions;
  private final ExecutorService thread = DaemonThreads.pool(1, "schedule-job-ends");
  private final Set<Long> pending = new HashSet<>();

  JobEnds(JobStore jobs, RunEnds ends, SchedulesInUse inUse, RetryingTransactions transactions) {
    this.jobs = jobs;
    this.ends = ends;
    this.inUse = inUse;
    this.transactions = transactions;
  }

  @EventListener
  public void on(JobsChanged news) {
    if (!inUse.inUse()) {
      return;
    }
    synchronized (pending) {
      boolean isIdle = pending.isEmpty();
      pending.addAll(news.jobIds());
      if (!isIdle || thread.isShutdown()) {
        return;
      }
    }
    thread.execute(this::recordPending);
  }

  private void recordPending() {
    Set<Long> ids;
    synchronized (pending) {
      ids = Set.copyOf(pending);
      pending.clear();
    }
    try {
      record(ids);
    } catch (RuntimeException e) {
      log.info("ends of {} jobs were not recorded; the audit will find them", ids.size(), e);
    }
  }

  /**
   * Records the ends of these jobs at their fires; ignores jobs that live and those that no
   * schedule created. Returns how many were not recorded before.
   */
  public int record(Collection<Long> jobIds) {
    List<JobRow> created =
        (jobIds.isEmpty() ? List.<JobRow>of() : jobs.find(jobIds))
            .stream()
                .filter(job -> job.fire() != null)
                .filter(job -> job.state().isFinal())
                .toList();
    if (created.isEmpty()) {
      return 0;
    }
    return transactions.execute(() -> ends.recordEnds(created.stream().map(JobEnds::end).toList()));
  }

  private static RunEnds.End end(JobRow job) {
    TaskStatus status = RunEnds.statusOf(job.state());
    String error = status == TaskStatus.FAILED ? "job " + job.id() + " failed" : null;
    return new RunEnds.End(job.fire(), Run.ofJob(job.id()), status, error);
  }

  @Override
  public void destroy() {
    thread.shutdownNow();
  }
}
