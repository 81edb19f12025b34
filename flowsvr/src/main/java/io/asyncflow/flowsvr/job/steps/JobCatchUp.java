package io.asyncflow.flowsvr.job.steps;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.system.concurrent.FailureCollector;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Executes overdue steps of jobs, which another server left undone. */
@Component
public class JobCatchUp {

  private static final Duration INTERVAL = Duration.ofSeconds(5);

  /** A server that works on a job changes its row more often than this. */
  private static final Duration UNCHANGED_FOR = Duration.ofSeconds(2);

  private static final int PAGE = 100;

  private final JobStore jobs;
  private final JobSteps steps;

  JobCatchUp(JobStore jobs, JobSteps steps) {
    this.jobs = jobs;
    this.steps = steps;
  }

  @Bean
  Duty jobCatchUpDuty(DutyIntervals every) {
    return Duty.ofLeader("job-catch-up", every.notBelowSweep(INTERVAL), this::runOnce)
        .onlyWith(JobStore.UNFINISHED);
  }

  /**
   * Executes overdue steps and returns their number.
   *
   * @throws RuntimeException the first failure, after all other jobs were processed
   */
  public int runOnce() {
    int executed = 0;
    FailureCollector failures = new FailureCollector();
    for (long jobId : jobs.unchangedFor(UNCHANGED_FOR, PAGE)) {
      executed += failures.orElse(0, () -> advance(jobId));
    }
    failures.throwFirst();
    return executed;
  }

  private int advance(long jobId) {
    try {
      return steps.advance(jobId);
    } catch (RuntimeException e) {
      jobs.defer(jobId); // permanently failing jobs must not fill every page
      throw e;
    }
  }
}
