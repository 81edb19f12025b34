package io.asyncflow.fake;

import io.asyncflow.api.Heartbeat;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The workers that a {@link FakeFlowServer} has heard of, guarded by its lock. */
final class FakeWorkers {

  private static final Duration ALIVE = Duration.ofSeconds(30);
  private static final Duration SILENT = Duration.ofSeconds(60);

  private final FakePauses pauses;
  private final Map<String, Set<String>> stages = new LinkedHashMap<>();
  private final Map<String, Long> heard = new LinkedHashMap<>();

  FakeWorkers(FakePauses pauses) {
    this.pauses = pauses;
  }

  /** Records a beat, and what the worker says about itself. */
  void beat(Heartbeat heartbeat, long now) {
    if (heartbeat.worker() != null && heartbeat.worker().stages() != null) {
      stages.put(heartbeat.workerId(), Set.copyOf(heartbeat.worker().stages()));
    }
    heard.put(heartbeat.workerId(), now);
  }

  /** Records a hold, which is a sign of life. */
  void hold(String workerId, long now) {
    heard.computeIfPresent(workerId, (worker, before) -> now);
  }

  /**
   * The live workers that serve the stage, are not paused and match, in the order of their first
   * beats.
   */
  List<String> serving(String type, String stage, Predicate<String> which, long now) {
    return heard.entrySet().stream()
        .filter(worker -> now - worker.getValue() <= ALIVE.toMillis())
        .map(Map.Entry::getKey)
        .filter(worker -> stages.getOrDefault(worker, Set.of()).contains(type + "/" + stage))
        .filter(worker -> !pauses.hasWorker(worker))
        .filter(which)
        .toList();
  }

  boolean isSilent(String workerId, long now) {
    return now - heard.getOrDefault(workerId, 0L) > SILENT.toMillis();
  }
}
