package io.asyncflow.flowsvr.schedule.slice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class HeldSlicesTest {

  private static final OwnedSlice FIRST = new OwnedSlice(1, 7);
  private static final OwnedSlice SECOND = new OwnedSlice(2, 8);
  private static final long TRUST = Duration.ofSeconds(8).toNanos();

  private long nanos = 5_000;
  private final HeldSlices held = new HeldSlices(() -> nanos);

  @Test
  void slicesAreTrustedForEightSecondsOnly() {
    held.set(List.of(SECOND, FIRST), Set.of(), nanos + TRUST);
    nanos += TRUST - 1;
    assertThat(held.trusted()).containsExactly(FIRST, SECOND);
    nanos++;
    assertThat(held.trusted()).isEmpty();
    assertThat(held.use().slices()).isEmpty();
  }

  @Test
  void useLastsUntilItIsClosedWhateverIsSetMeanwhile() {
    held.set(List.of(FIRST, SECOND), Set.of(), nanos + TRUST);
    SliceUse before = held.use();
    held.set(List.of(FIRST, SECOND), Set.of(1), nanos + TRUST);
    SliceUse after = held.use();

    assertThat(before.slices()).containsExactly(FIRST, SECOND);
    assertThat(after.slices()).as("the first shall be handed over").containsExactly(SECOND);
    assertThat(held.isInUse(1)).isTrue();
    before.close();
    before.close();
    assertThat(held.isInUse(1)).isFalse();
    assertThat(held.isInUse(2)).as("in another use").isTrue();
    after.close();
    assertThat(held.isInUse(2)).isFalse();
  }

  @Test
  void timeInUseIsMeasuredOnceHoweverManyUsesThereAre() {
    held.set(List.of(FIRST), Set.of(), nanos + TRUST);
    SliceUse one = held.use();
    nanos += 100;
    SliceUse two = held.use();
    nanos += 100;
    one.close();
    assertThat(held.takeBusyNanos()).isEqualTo(200);
    nanos += 50;
    two.close();
    nanos += 1_000;
    assertThat(held.takeBusyNanos()).isEqualTo(50);
    assertThat(held.takeBusyNanos()).isZero();
  }

  @Test
  void serverThatIsToldToLieOwnsAllSlices() {
    ApplicationContextRunner server =
        new ApplicationContextRunner()
            .withBean(HeldSlices.class, () -> held)
            .withUserConfiguration(AllSlices.class);

    server.run(context -> assertThat(context.getBean(SliceLeases.class)).isSameAs(held));
    server
        .withPropertyValues("flow.schedule.all-slices=true")
        .run(
            context -> {
              SliceLeases lying = context.getBean(SliceLeases.class);
              assertThat(lying.use().slices()).hasSize(64).allMatch(slice -> slice.epoch() == 0);
            });
  }
}
