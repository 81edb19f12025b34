package io.asyncflow.flowsvr.task.lane;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Counts the lanes of each type, so that operators notice an application that makes a lane for each
 * task.
 */
@Component
class LaneCounts {

  /** The most lanes that are counted, over all types, so that a count stays cheap. */
  private static final int MOST = 100_000;

  private final LaneStore store;
  private final TaskMeters meters;

  LaneCounts(LaneStore store, TaskMeters meters) {
    this.store = store;
    this.meters = meters;
  }

  @Bean
  Duty laneCountsDuty(DutyIntervals every) {
    return Duty.ofEach("lane-counts", every.cleaning(), this::runOnce)
        .resting(every.cleaning().multipliedBy(5));
  }

  /** Counts; returns the number of types with lanes. */
  int runOnce() {
    Map<String, Integer> counts = store.countByType(MOST);
    meters.showByType(
        "lanes", "sets of workers that tasks of the type were made for, over all servers", counts);
    return counts.size();
  }
}
