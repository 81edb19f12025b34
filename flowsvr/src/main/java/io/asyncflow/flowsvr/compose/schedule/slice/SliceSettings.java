package io.asyncflow.flowsvr.compose.schedule.slice;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * How much of the schedules this server carries.
 *
 * @param enabled whether this server fires schedules at all
 * @param weight its share, beside the weights of the others; with 0 it answers calls about
 *     schedules and fires none
 * @param lease how long a slice remains its own without a renewal
 */
@Component
record SliceSettings(
    @Value("${flow.schedule.enabled:true}") boolean enabled,
    @Value("${flow.schedule.weight:100}") int weight,
    @Value("${flow.schedule.lease:10s}") Duration lease) {

  private static final Duration SHORTEST = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofSeconds(60);

  SliceSettings {
    refuseUnless(weight >= 0 && weight <= 10_000, "weight", weight, "from 0 to 10000");
    refuseUnless(
        lease.compareTo(SHORTEST) >= 0 && lease.compareTo(LONGEST) <= 0,
        "lease",
        lease,
        "from 5s to 60s");
  }

  private static void refuseUnless(boolean isGood, String name, Object value, String rule) {
    if (!isGood) {
      throw new BadSettingException(
          "flow.schedule." + name + " is '" + value + "' and must be " + rule + ".");
    }
  }

  /** How long after its request an owner trusts its leases: four fifths of a lease. */
  Duration trust() {
    return lease.multipliedBy(4).dividedBy(5);
  }
}
