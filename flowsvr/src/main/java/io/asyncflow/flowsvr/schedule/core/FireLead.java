package io.asyncflow.flowsvr.schedule.core;

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

  public long ms() {
    return time.toMillis();
  }
}
