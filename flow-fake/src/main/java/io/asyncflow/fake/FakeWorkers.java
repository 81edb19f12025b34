package io.asyncflow.fake;

import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HoldRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The workers that a {@link FakeFlowServer} has heard of, and their drain, guarded by its lock. A
 * drain is for all workers except later starts under the id of a known worker.
 */
final class FakeWorkers {

  private static final Duration ALIVE = Duration.ofSeconds(30);
  private static final Duration SILENT = Duration.ofSeconds(60);

  private final FakePauses pauses;
  private final Map<String, Set<String>> stages = new LinkedHashMap<>();
  private final Map<String, Long> heard = new LinkedHashMap<>();
  private final Map<String, String> starts = new HashMap<>();
  private final Set<String> toldToLeave = new HashSet<>();
  private Map<String, String> drainedStarts = Map.of();
  private boolean drain;
  private Long drainGraceMs;
  private long firstHoldAfterDrain;

  FakeWorkers(FakePauses pauses) {
    this.pauses = pauses;
  }

  /** Records a beat, and what the worker says about itself. */
  void beat(Heartbeat heartbeat, long now) {
    if (heartbeat.worker() != null && heartbeat.worker().stages() != null) {
      stages.put(heartbeat.workerId(), Set.copyOf(heartbeat.worker().stages()));
    }
    heard.put(heartbeat.workerId(), now);
    started(heartbeat.workerId(), heartbeat.startId());
  }

  /** Records a hold, which is a sign of life. */
  void hold(HoldRequest request, long now) {
    heard.computeIfPresent(request.workerId(), (worker, before) -> now);
    started(request.workerId(), request.startId());
  }

  private void started(String workerId, String startId) {
    if (startId != null && !startId.isEmpty()) {
      starts.put(workerId, startId);
    }
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

  /**
   * Begins or ends the drain.
   *
   * @param grace of the workers' runs; {@code null} for as long as they take
   * @param nextHold the number of the next hold; earlier ones end
   */
  void setDrain(boolean value, Duration grace, long nextHold) {
    drain = value;
    drainGraceMs = grace == null ? null : grace.toMillis();
    drainedStarts = new HashMap<>(starts);
    firstHoldAfterDrain = nextHold;
    toldToLeave.clear();
  }

  boolean isDrained(String workerId, String startId) {
    return drain
        && (startId.isEmpty() || startId.equals(drainedStarts.getOrDefault(workerId, startId)));
  }

  /** The grace of the runs of a worker; {@code null} for none, or if it is not drained. */
  Long drainGraceMs(String workerId, String startId) {
    return isDrained(workerId, startId) ? drainGraceMs : null;
  }

  /** Whether the drain ends a hold: those from before it, and the next one of each worker. */
  boolean drainEnds(HoldRequest request, long hold) {
    return isDrained(request.workerId(), request.startId())
        && (toldToLeave.add(request.workerId()) || hold < firstHoldAfterDrain);
  }
}
