package io.asyncflow.flowsvr.job.steps;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.system.concurrent.FailureCollector;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Takes the steps of jobs that the server which should have taken them left. */
@Component
public class JobCatchUp {

  /** What it does is mostly nothing, and costs a statement on an idle server, too. */
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  /** A server that is at it changes the job more often. */
  private static final Duration LEFT_ALONE = Duration.ofSeconds(2);

  private static final int PAGE = 100;

  private final JobStore jobs;
  private final JobSteps steps;

  JobCatchUp(JobStore jobs, JobSteps steps) {
    this.jobs = jobs;
    this.steps = steps;
  }

  @Bean
  Duty jobCatchUpDuty(DutyIntervals every) {
    return Duty.ofLeader("job-catch-up", every.notBelowSweep(INTERVAL), this::runOnce);
  }

  /**
   * Returns how many steps were taken.
   *
   * @throws RuntimeException the first failure, after all the other jobs were looked at
   */
  public int runOnce() {
    int taken = 0;
    FailureCollector failures = new FailureCollector();
    for (long jobId : jobs.leftAlone(LEFT_ALONE, PAGE)) {
      taken += failures.orElse(0, () -> advance(jobId));
    }
    failures.throwFirst();
    return taken;
  }

  private int advance(long jobId) {
    try {
      return steps.advance(jobId);
    } catch (RuntimeException e) {
      jobs.putOff(jobId); // a page of jobs that fail for ever must not hide those behind it
      throw e;
    }
  }
}
