package io.asyncflow.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class NewScheduleTest {

  @Test
  void theZoneOfTheOffsetUtcIsOneThatFlowsvrKnows() {
    assertThat(NewSchedule.cron("nightly", "0 0 3 * * *", ZoneOffset.UTC).zone()).isEqualTo("UTC");
  }

  @Test
  void otherZonesAreNamedByTheirRegion() {
    NewSchedule schedule = NewSchedule.cron("nightly", "0 0 3 * * *", ZoneId.of("Europe/Berlin"));

    assertThat(schedule.zone()).isEqualTo("Europe/Berlin");
  }
}
