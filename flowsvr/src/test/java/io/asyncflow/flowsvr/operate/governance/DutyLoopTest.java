package io.asyncflow.flowsvr.operate.governance;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.Feature;
import io.asyncflow.flowsvr.base.duty.FeaturesInUse;
import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class DutyLoopTest {

  private static final Duration SHORT = Duration.ofMillis(5);
  private static final int RUNS = 20;

  private final FeaturesInUse features = mock(FeaturesInUse.class);
  private final AtomicInteger runs = new AtomicInteger();
  private final CountDownLatch others = new CountDownLatch(2 * RUNS);

  @Test
  void dutyRestsAfterARunWithoutEffect() throws Exception {
    assertThat(runsOf(() -> runs.incrementAndGet() < 3 ? 1 : 0)).isEqualTo(3);
  }

  @Test
  void dutyThatFailsDoesNotRest() throws Exception {
    assertThat(
            runsOf(
                () -> {
                  runs.incrementAndGet();
                  throw new IllegalStateException("as often as it runs");
                }))
        .isGreaterThan(3);
  }

  @Test
  void dutyOfAFeatureRunsOnlyWhileTheFeatureIsInUse() throws Exception {
    Feature used = new Feature("t_used");
    when(features.has(used)).thenReturn(true);
    AtomicInteger runsOfUsed = new AtomicInteger();
    Duty ofUsed = Duty.ofEach("used", SHORT, runsOfUsed::incrementAndGet).onlyWith(used);
    Duty ofUnused =
        Duty.ofEach("unused", SHORT, runs::incrementAndGet).onlyWith(new Feature("t_unused"));

    runBeside(ofUsed, ofUnused);

    assertThat(runsOfUsed).hasPositiveValue();
    assertThat(runs).hasValue(0);
  }

  /** Runs a duty that rests for long beside one that does not; returns how often it ran. */
  private int runsOf(Supplier<Integer> runOnce) throws InterruptedException {
    runBeside(Duty.ofEach("resting", SHORT, runOnce).resting(Duration.ofHours(1)));
    return runs.get();
  }

  private void runBeside(Duty... duties) throws InterruptedException {
    Duty other =
        Duty.ofEach(
            "other",
            SHORT,
            () -> {
              others.countDown();
              return 0;
            });
    List<Duty> all = new ArrayList<>(List.of(duties));
    all.add(other);
    DutyLoop loop =
        new DutyLoop(
            all,
            mock(LeaderElection.class),
            features,
            mock(DutyRunStore.class),
            mock(Node.class),
            mock(TaskMeters.class));
    loop.onApplicationEvent(null);
    assertThat(others.await(20, SECONDS)).isTrue();
    loop.destroy();
  }
}
