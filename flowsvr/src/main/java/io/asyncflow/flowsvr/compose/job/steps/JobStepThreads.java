package io.asyncflow.flowsvr.compose.job.steps;

import io.asyncflow.flowsvr.base.system.concurrent.DaemonThreads;
import io.asyncflow.flowsvr.compose.job.core.JobChanged;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Executes the steps of jobs that this server has changed, on a few threads of its own. Jobs take
 * turns step by step, so that small jobs do not wait for large ones. Governance executes steps that
 * are lost because this server or the database fails.
 */
@Component
class JobStepThreads implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(JobStepThreads.class);

  private final LongPredicate steps;
  private final ThreadPoolExecutor threads;
  private final Set<Long> waiting = ConcurrentHashMap.newKeySet();

  /**
   * @param count 0 leaves all steps to governance
   */
  @Autowired
  JobStepThreads(JobSteps steps, @Value("${flow.job.step-threads:2}") int count) {
    this(steps::step, count);
  }

  /**
   * @param steps executes a step of a job; false if there was none
   */
  JobStepThreads(LongPredicate steps, int count) {
    this.steps = steps;
    this.threads = count == 0 ? null : DaemonThreads.pool(count, "job-steps");
  }

  @EventListener
  void on(JobChanged event) {
    if (threads != null && !event.isFromAfar()) {
      queue(event.jobId());
    }
  }

  private void queue(long jobId) {
    if (waiting.add(jobId)) {
      threads.execute(() -> step(jobId));
    }
  }

  private void step(long jobId) {
    waiting.remove(jobId); // before the step: a later change is looked at again
    try {
      if (steps.test(jobId)) {
        queue(jobId);
      }
    } catch (RuntimeException e) {
      log.warn("job {} is left to governance: {}", jobId, e.toString());
    }
  }

  @Override
  public void destroy() throws InterruptedException {
    if (threads != null) {
      threads.shutdown();
      threads.awaitTermination(2, TimeUnit.SECONDS);
    }
  }
}
