package io.asyncflow.flowsvr.compose.job.steps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.flowsvr.compose.job.core.JobChanged;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class JobStepThreadsTest {

  private static final long LARGE = 1;
  private static final long SMALL = 2;

  private final List<Long> taken = new CopyOnWriteArrayList<>();
  private final CountDownLatch bothQueued = new CountDownLatch(1);

  /** The large job has three steps, the small one has one. */
  private boolean step(long jobId) {
    try {
      bothQueued.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    taken.add(jobId);
    return taken.stream().filter(id -> id == jobId).count() < (jobId == LARGE ? 4 : 2);
  }

  @Test
  void smallJobDoesNotWaitForALargeOne() throws InterruptedException {
    JobStepThreads threads = new JobStepThreads(this::step, 1);
    try {
      threads.on(new JobChanged(LARGE));
      threads.on(new JobChanged(SMALL));
      bothQueued.countDown();
      await().atMost(Duration.ofSeconds(30)).until(() -> taken.size() == 6);
      assertThat(taken).containsExactly(LARGE, SMALL, LARGE, SMALL, LARGE, LARGE);
    } finally {
      threads.destroy();
    }
  }

  @Test
  void stepThatFailsIsLeftToGovernance() throws InterruptedException {
    JobStepThreads threads =
        new JobStepThreads(
            jobId -> {
              taken.add(jobId);
              if (jobId == LARGE) {
                throw new IllegalStateException("refused by the test");
              }
              return false;
            },
            1);
    try {
      threads.on(new JobChanged(LARGE));
      threads.on(new JobChanged(SMALL));
      await().atMost(Duration.ofSeconds(30)).until(() -> taken.size() == 2);
      assertThat(taken).containsExactly(LARGE, SMALL);
    } finally {
      threads.destroy();
    }
  }
}
