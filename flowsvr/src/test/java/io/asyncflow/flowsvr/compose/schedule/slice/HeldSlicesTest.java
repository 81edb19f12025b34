package io.asyncflow.flowsvr.compose.schedule.slice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
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
    held.set(List.of(SECOND, FIRST), nanos + TRUST);
    nanos += TRUST - 1;
    assertThat(held.trusted()).containsExactly(FIRST, SECOND);
    nanos++;
    assertThat(held.trusted()).isEmpty();
    assertThat(held.use().slices()).isEmpty();
  }

  @Test
  void useLastsUntilItIsClosedWhateverIsSetMeanwhile() {
    held.set(List.of(FIRST, SECOND), nanos + TRUST);
    SliceUse before = held.use();
    held.set(List.of(SECOND), nanos + TRUST);
    assertThat(before.slices()).containsExactly(FIRST, SECOND);
    assertThat(held.isInUse(FIRST)).isTrue();
    before.close();
    assertThat(held.isInUse(FIRST)).isFalse();

    SliceUse after = held.use();
    assertThat(after.slices()).as("the first shall be handed over").containsExactly(SECOND);
    assertThat(held.isInUse(FIRST)).isFalse();
    assertThat(held.isInUse(SECOND)).isTrue();
    after.close();
    assertThat(held.isInUse(SECOND)).isFalse();
  }

  @Test
  void timeInUseIsCountedOnce() {
    held.set(List.of(FIRST), nanos + TRUST);
    SliceUse use = held.use();
    nanos += 200;
    use.close();
    nanos += 1_000;
    assertThat(held.takeUsedNanos()).isEqualTo(200);
    assertThat(held.takeUsedNanos()).isZero();
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
