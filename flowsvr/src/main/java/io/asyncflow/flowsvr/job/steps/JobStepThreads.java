package io.asyncflow.flowsvr.job.steps;

import io.asyncflow.flowsvr.job.core.JobsChanged;
import io.asyncflow.flowsvr.system.concurrent.DaemonThreads;
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
 * Takes the steps of jobs as soon as this server has changed them, on a few threads of its own.
 * Jobs take turns, a step each, so that a small one never waits until a large one is through. What
 * is lost, because this server dies or the database does, governance finds.
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
   * @param steps takes a step of a job; false if there was none to take
   */
  JobStepThreads(LongPredicate steps, int count) {
    this.steps = steps;
    this.threads = count == 0 ? null : DaemonThreads.pool(count, "job-steps");
  }

  @EventListener
  void on(JobsChanged news) {
    if (threads != null) {
      news.jobIds().forEach(this::queue);
    }
  }

  private void queue(long jobId) {
    if (waiting.add(jobId)) {
      threads.execute(() -> step(jobId));
    }
  }

  private void step(long jobId) {
    waiting.remove(jobId); // before looking: what changes now is looked at once more
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
