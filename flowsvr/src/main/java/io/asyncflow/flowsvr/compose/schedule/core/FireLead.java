package io.asyncflow.flowsvr.compose.schedule.core;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * How long before its time a fire is made at the earliest, if nothing can change it meanwhile.
 *
 * @param time a slice may lose two owners one after the other before a fire of it is late
 */
@Component
public record FireLead(@Value("${flow.schedule.ahead:30s}") Duration time) {

  private static final Duration LONGEST = Duration.ofHours(1);

  public FireLead {
    if (time.isNegative() || time.compareTo(LONGEST) > 0) {
      throw new BadSettingException(
          "flow.schedule.ahead is '" + time + "' and must be from 0s to 1h.");
    }
  }

  public long ms() {
    return time.toMillis();
  }
}
