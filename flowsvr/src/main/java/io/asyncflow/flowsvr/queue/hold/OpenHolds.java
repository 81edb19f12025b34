package io.asyncflow.flowsvr.queue.hold;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.queue.claim.Hold;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * The holds without an answer yet, and the workers that have called lately. A hold is a sign of
 * life of its worker, and its answer can tell the worker to drain.
 *
 * <p>A drain applies to one start of a worker, not to the next start with the same id; a worker
 * that sends no start id is drained by its id. Every answer to its holds has the drain flag. Its
 * parked holds are answered at once; if it has none, the first that arrives is. Later holds park as
 * usual, so that a client that ignores the drain does not poll more often than before.
 *
 * <p>Thread-safe.
 */
@Service
public class OpenHolds {

  private final Map<CompletableFuture<List<Task>>, Hold> open = new ConcurrentHashMap<>();
  private final Set<String> callers = ConcurrentHashMap.newKeySet();
  private final Set<String> unnotified = ConcurrentHashMap.newKeySet();
  private volatile Map<String, Drain> draining = Map.of();
  private volatile boolean closing;

  /**
   * The drain of a worker.
   *
   * @param startId the start that shall drain; empty if it sent none
   * @param graceMs milliseconds after which the worker interrupts what it runs; {@code null} for
   *     never
   */
  public record Drain(String startId, Long graceMs) {}

  /**
   * Registers a hold until it is answered.
   *
   * @param tasks its answer, which is cancelled to end the hold early
   */
  void add(Hold hold, CompletableFuture<List<Task>> tasks) {
    open.put(tasks, hold);
    callers.add(hold.workerId());
    tasks.whenComplete((held, failure) -> open.remove(tasks));
    // Only now: so either this check or setDraining and answerAll find the hold.
    if (isDraining(hold) && unnotified.remove(hold.workerId()) || closing) {
      tasks.cancel(false);
    }
  }

  /**
   * The drain of the worker: it shall stop polling, finish its tasks and stop. Empty if there is
   * none.
   *
   * @param startId the start of the worker; empty if unknown
   */
  public Optional<Drain> drainOf(String workerId, String startId) {
    return Optional.ofNullable(draining.get(workerId))
        .filter(drain -> startId.isEmpty() || startId.equals(drain.startId()));
  }

  private boolean isDraining(Hold hold) {
    return drainOf(hold.workerId(), hold.startId()).isPresent();
  }

  /**
   * Sets the workers that shall drain, replacing the earlier ones. Calls must not overlap.
   *
   * @param drains by worker id
   */
  public void setDraining(Map<String, Drain> drains) {
    Set<String> added = new HashSet<>(drains.keySet());
    added.removeIf(worker -> drains.get(worker).equals(draining.get(worker)));
    draining = Map.copyOf(drains);
    unnotified.retainAll(drains.keySet());
    unnotified.addAll(added);
    open.forEach(
        (tasks, hold) -> {
          if (added.contains(hold.workerId()) && isDraining(hold)) {
            unnotified.remove(hold.workerId());
            tasks.cancel(false);
          }
        });
  }

  /**
   * The workers that have called since the last call of this method, and those with parked holds.
   */
  public Set<String> seenWorkers() {
    Set<String> seen = new HashSet<>(callers);
    callers.removeAll(seen);
    open.values().forEach(hold -> seen.add(hold.workerId()));
    seen.remove("");
    return seen;
  }

  /** Answers all parked holds when the server stops, so that their workers call another server. */
  @EventListener(ContextClosedEvent.class)
  void answerAll() {
    closing = true;
    open.keySet().forEach(tasks -> tasks.cancel(false));
  }
}
