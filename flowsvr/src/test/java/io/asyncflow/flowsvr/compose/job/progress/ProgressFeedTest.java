package io.asyncflow.flowsvr.compose.job.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.compose.job.core.JobChanged;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProgressFeedTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Map<Long, JobSnapshot> jobs = new ConcurrentHashMap<>();
  private final AtomicInteger looks = new AtomicInteger();
  private ProgressFeed watch = new ProgressFeed(this::look, Duration.ofHours(1));

  private Map<Long, JobSnapshot> look(Collection<Long> ids) {
    looks.incrementAndGet();
    Map<Long, JobSnapshot> found = new HashMap<>();
    ids.stream().filter(jobs::containsKey).forEach(id -> found.put(id, jobs.get(id)));
    return found;
  }

  private static JobSnapshot sight(JobState state, int done) {
    return new JobSnapshot(
        done, new JobProgress("1", state, 10, done, 0, 0, 0, 10 * done, 1.0, null));
  }

  private static final class Ear implements ProgressFeed.Listener {
    final List<Integer> heard = new CopyOnWriteArrayList<>();
    volatile boolean ended;

    @Override
    public void tell(JobSnapshot sight) {
      heard.add(sight.progress().done());
    }

    @Override
    public void beat() {
      heard.add(-1);
    }

    @Override
    public void end() {
      ended = true;
    }
  }

  @AfterEach
  void stop() {
    watch.destroy();
  }

  @Test
  void thousandListenersCostOneLookAChange() {
    jobs.put(1L, sight(JobState.RUNNING, 0));
    List<Ear> ears = IntStream.range(0, 1_000).mapToObj(i -> new Ear()).toList();
    ears.forEach(ear -> watch.add(1, ear));
    await().atMost(PATIENCE).until(() -> ears.stream().allMatch(ear -> ear.heard.size() == 1));
    int before = looks.get();

    jobs.put(1L, sight(JobState.RUNNING, 1));
    watch.on(new JobChanged(1));
    await().atMost(PATIENCE).until(() -> ears.stream().allMatch(ear -> ear.heard.size() == 2));
    assertThat(looks.get() - before).isEqualTo(1);

    jobs.put(1L, sight(JobState.SUCCESS, 10));
    watch.on(new JobChanged(1));
    await().atMost(PATIENCE).until(() -> ears.stream().allMatch(ear -> ear.ended));
    assertThat(looks.get() - before).isEqualTo(2);
    assertThat(ears).allSatisfy(ear -> assertThat(ear.heard).containsExactly(0, 1, 10));
    assertThat(watch.size()).isZero();
  }

  @Test
  void whatIsNotNewIsNotTold() {
    jobs.put(1L, sight(JobState.RUNNING, 3));
    Ear ear = new Ear();
    watch.add(1, ear);
    await().atMost(PATIENCE).until(() -> ear.heard.size() == 1);
    watch.on(new JobChanged(1));
    await().atMost(PATIENCE).until(() -> looks.get() == 2);
    jobs.put(1L, sight(JobState.RUNNING, 4));
    watch.on(new JobChanged(1));
    await().atMost(PATIENCE).until(() -> ear.heard.size() == 2);
    assertThat(ear.heard).containsExactly(3, 4);
  }

  @Test
  void jobsThatNobodyWatchesAreNotLookedAt() {
    watch.on(new JobChanged(1));
    watch.on(new JobChanged(2));
    jobs.put(3L, sight(JobState.RUNNING, 0));
    Ear ear = new Ear();
    watch.add(3, ear);
    await().atMost(PATIENCE).until(() -> ear.heard.size() == 1);
    watch.remove(3, ear);
    watch.on(new JobChanged(3));
    assertThat(watch.size()).isZero();
    assertThat(looks).hasValue(1);
  }

  @Test
  void lostNewsIsMadeUpForByAPoll() {
    watch.destroy();
    watch = new ProgressFeed(this::look, Duration.ofMillis(20));
    jobs.put(1L, sight(JobState.RUNNING, 0));
    Ear ear = new Ear();
    watch.add(1, ear);
    await().atMost(PATIENCE).until(() -> ear.heard.contains(0));
    jobs.put(1L, sight(JobState.FAILED, 9));
    await().atMost(PATIENCE).until(() -> ear.ended);
    assertThat(ear.heard).endsWith(9);
  }

  @Test
  void whoHearsNothingNewHearsABeat() {
    watch.destroy();
    watch = new ProgressFeed(this::look, Duration.ofMillis(5));
    jobs.put(1L, sight(JobState.RUNNING, 0));
    Ear ear = new Ear();
    watch.add(1, ear);
    await().atMost(PATIENCE).until(() -> ear.heard.contains(-1));
  }

  @Test
  void jobThatIsNoMoreLetsItsListenersGo() {
    Ear ear = new Ear();
    watch.add(1, ear);
    await().atMost(PATIENCE).until(() -> ear.ended);
    assertThat(ear.heard).isEmpty();
    assertThat(watch.size()).isZero();
  }
}
