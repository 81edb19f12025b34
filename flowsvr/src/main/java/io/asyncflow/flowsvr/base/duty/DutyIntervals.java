package io.asyncflow.flowsvr.base.duty;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * The intervals of duties.
 *
 * @param sweep the interval of urgent duties
 * @param cleaning the interval of duties that delete obsolete data, while there is any
 */
@Component
public record DutyIntervals(
    @Value("${flow.governance.sweep-interval:1s}") Duration sweep,
    @Value("${flow.governance.cleaning-interval:60s}") Duration cleaning) {

  /** The given interval, but not below the interval of the sweep. */
  public Duration notBelowSweep(Duration interval) {
    return interval.compareTo(sweep) > 0 ? interval : sweep;
  }
}
