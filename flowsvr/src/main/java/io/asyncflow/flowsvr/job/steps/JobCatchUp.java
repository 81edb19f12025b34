package io.asyncflow.flowsvr.job.steps;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.job.core.JobStore.Unfinished;
import io.asyncflow.flowsvr.system.concurrent.FailureCollector;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Executes overdue steps of jobs, which another server left undone.
 *
 * <p>Not thread-safe; may run on several servers at once.
 */
@Component
public class JobCatchUp {

  private static final Duration INTERVAL = Duration.ofSeconds(5);

  /** The most jobs of a round; the next round continues. */
  private static final int PAGE = 100;

  private final JobWalk walk;
  private final JobSteps steps;

  JobCatchUp(JobStore jobs, JobSteps steps) {
    this.walk = new JobWalk(jobs);
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
    for (long jobId : walk.next(Unfinished::isOverdue, PAGE)) {
      executed += failures.orElse(0, () -> steps.advance(jobId));
    }
    failures.throwFirst();
    return executed;
  }
}
