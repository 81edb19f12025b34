package io.asyncflow.flowsvr.compose.schedule.fire;

import io.asyncflow.flowsvr.base.duty.FeaturesInUse;
import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.compose.schedule.slice.SchedulesInUse;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Knows whether there is any schedule, so that a system without schedules pays for nothing else.
 * Thread-safe.
 */
@Component
class SchedulesPresence implements SchedulesInUse {

  private final FeaturesInUse features;

  SchedulesPresence(FeaturesInUse features) {
    this.features = features;
  }

  @Bean
  static ClusterEvent.Kind scheduleNews() {
    return new ClusterEvent.Kind("schedule", new SchedulesChanged(true));
  }

  /** There is a schedule, or was just now. */
  @EventListener(SchedulesChanged.class)
  @Order(Ordered.HIGHEST_PRECEDENCE)
  public void saw() {
    features.changed(); // also where it is in use: what others have read may be older, and say no
  }

  @Override
  public boolean inUse() {
    return features.has(ScheduleStore.SCHEDULES);
  }
}
