package io.asyncflow.flowsvr.lease;

import io.asyncflow.api.Task;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * The holds that have no answer yet, and who asked: a sign of life of workers that have nothing
 * else to say, and the way to those that are to leave.
 *
 * <p>A worker is sent away by whatever its holds are answered with. Those that are parked end at
 * once, or, if there is none, the first that comes. Later ones park as ever, so that a client that
 * does not heed what it is told asks no more often than before.
 *
 * <p>Thread-safe.
 */
@Service
public class OpenHolds {

  private final Set<Open> open = ConcurrentHashMap.newKeySet();
  private final Set<String> asked = ConcurrentHashMap.newKeySet();
  private final Set<String> untold = ConcurrentHashMap.newKeySet();
  private volatile Set<String> sentAway = Set.of();
  private volatile boolean closing;

  private record Open(String workerId, CompletableFuture<List<Task>> tasks) {}

  /**
   * Knows a hold until it is answered.
   *
   * @param workerId who asked; empty for an old client
   * @param tasks its answer, which is cancelled if it is to end early
   */
  void add(String workerId, CompletableFuture<List<Task>> tasks) {
    Open hold = new Open(workerId, tasks);
    open.add(hold);
    asked.add(workerId);
    tasks.whenComplete((held, failure) -> open.remove(hold));
    // Only now, so that it is found either here or by whoever ends what is open.
    if (untold.remove(workerId) || closing) {
      tasks.cancel(false);
    }
  }

  /** Whether the worker shall stop polling, finish what it has, and leave. */
  boolean isSentAway(String workerId) {
    return sentAway.contains(workerId);
  }

  /** Who is to leave from now on, and nobody else; calls must come one after the other. */
  public void sendAway(Set<String> workerIds) {
    Set<String> news = new HashSet<>(workerIds);
    news.removeAll(sentAway);
    sentAway = Set.copyOf(workerIds);
    untold.retainAll(workerIds);
    untold.addAll(news);
    for (Open hold : open) {
      if (news.contains(hold.workerId())) {
        untold.remove(hold.workerId());
        hold.tasks().cancel(false);
      }
    }
  }

  /** The workers that have asked since the last call, and those whose holds are parked. */
  public Set<String> seenWorkers() {
    Set<String> seen = new HashSet<>(asked);
    asked.removeAll(seen);
    open.forEach(hold -> seen.add(hold.workerId()));
    seen.remove("");
    return seen;
  }

  /** A server that stops sends parked clients to its neighbours instead of waiting for them. */
  @EventListener(ContextClosedEvent.class)
  void answerAll() {
    closing = true;
    open.forEach(hold -> hold.tasks().cancel(false));
  }
}
