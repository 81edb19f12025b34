package io.asyncflow.flowsvr.duty;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * How often duties run.
 *
 * @param sweep between two looks for what cannot wait
 * @param cleaning between two looks for what nobody needs any more
 */
@Component
public record DutyIntervals(
    @Value("${flow.governance.sweep-interval:1s}") Duration sweep,
    @Value("${flow.governance.cleaning-interval:60s}") Duration cleaning) {

  /** So often, but no more often than the sweep. */
  public Duration notBelowSweep(Duration interval) {
    return interval.compareTo(sweep) > 0 ? interval : sweep;
  }
}
