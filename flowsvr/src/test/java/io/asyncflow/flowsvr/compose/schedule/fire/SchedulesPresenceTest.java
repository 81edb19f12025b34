package io.asyncflow.flowsvr.compose.schedule.fire;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import io.asyncflow.flowsvr.base.duty.FeaturesInUse;
import org.junit.jupiter.api.Test;

class SchedulesPresenceTest {

  private final FeaturesInUse features = mock(FeaturesInUse.class);
  private final SchedulesPresence presence = new SchedulesPresence(features);

  @Test
  void nextProbeReadsAnewAfterEachNews() {
    presence.saw();
    presence.saw();
    verify(features, times(2)).changed();
  }
}
