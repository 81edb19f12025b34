package io.asyncflow.flowsvr.schedule.fire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.duty.FeaturesInUse;
import org.junit.jupiter.api.Test;

class SchedulesPresenceTest {

  private final FeaturesInUse features = mock(FeaturesInUse.class);
  private final SchedulesPresence presence = new SchedulesPresence(features);

  @Test
  void readThatIsOlderThanTheNewsChangesNothing() {
    when(features.has(any()))
        .thenAnswer(
            read -> {
              presence.saw();
              return false;
            })
        .thenReturn(false);

    presence.probe();
    assertThat(presence.inUse()).isTrue();
    presence.probe();
    assertThat(presence.inUse()).isFalse();
  }

  @Test
  void nextProbeReadsAnewAfterEachNews() {
    presence.saw();
    presence.saw();
    verify(features, times(2)).changed();
  }
}
