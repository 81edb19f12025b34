package io.asyncflow.systemtest.fault.worker;

import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.scenario.Scenario;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How long tasks took from their creation to their end, as those saw it who created and ended them.
 *
 * @param durations the shortest first
 */
record Lives(List<Duration> durations) {

  /** Of tasks that are all done. */
  static Lives of(Scenario scenario, Collection<String> tasks) {
    Set<String> wanted = new HashSet<>(tasks);
    Map<String, Long> born = new HashMap<>();
    Map<String, Long> ended = new HashMap<>();
    for (Event event : scenario.history().events()) {
      if (event.phase() == Phase.OK && event.task() != null && wanted.contains(event.task())) {
        if (event.act() == Act.CREATE) {
          born.put(event.task(), event.at());
        } else if (event.act() == Act.REPORT) {
          ended.merge(event.task(), event.at(), Math::max);
        }
      }
    }
    return new Lives(
        wanted.stream()
            .map(task -> Duration.ofNanos(ended.get(task) - born.get(task)))
            .sorted()
            .toList());
  }

  Duration p99() {
    return durations.get(durations.size() * 99 / 100);
  }
}
