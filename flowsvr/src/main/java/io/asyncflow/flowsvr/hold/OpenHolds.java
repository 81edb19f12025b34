package io.asyncflow.flowsvr.hold;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.claim.Hold;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
 * <p>A start of a worker is sent away, and not the next one under the same id; whoever does not
 * tell its starts apart is sent away by its id. It is by whatever its holds are answered with.
 * Those that are parked end at once, or, if there is none, the first that comes. Later ones park as
 * ever, so that a client that does not heed what it is told asks no more often than before.
 *
 * <p>Thread-safe.
 */
@Service
public class OpenHolds {

  private final Set<Open> open = ConcurrentHashMap.newKeySet();
  private final Set<String> asked = ConcurrentHashMap.newKeySet();
  private final Set<String> untold = ConcurrentHashMap.newKeySet();
  private volatile Map<String, String> sentAway = Map.of();
  private volatile boolean closing;

  private record Open(Hold hold, CompletableFuture<List<Task>> tasks) {
    String workerId() {
      return hold.workerId();
    }
  }

  /**
   * Knows a hold until it is answered.
   *
   * @param tasks its answer, which is cancelled if it is to end early
   */
  void add(Hold asking, CompletableFuture<List<Task>> tasks) {
    Open hold = new Open(asking, tasks);
    open.add(hold);
    asked.add(hold.workerId());
    tasks.whenComplete((held, failure) -> open.remove(hold));
    // Only now, so that it is found either here or by whoever ends what is open.
    boolean isToldNow =
        isSentAway(asking.workerId(), asking.startId()) && untold.remove(hold.workerId());
    if (isToldNow || closing) {
      tasks.cancel(false);
    }
  }

  /**
   * Whether the worker shall stop polling, finish what it has, and leave.
   *
   * @param startId which start of it; empty if it does not say
   */
  public boolean isSentAway(String workerId, String startId) {
    String leaving = sentAway.get(workerId);
    return leaving != null && (startId.isEmpty() || startId.equals(leaving));
  }

  /**
   * Who is to leave from now on, and nobody else; calls must come one after the other.
   *
   * @param startIds of the workers, each with the start of it that leaves
   */
  public void sendAway(Map<String, String> startIds) {
    Set<String> news = new HashSet<>(startIds.keySet());
    news.removeIf(worker -> startIds.get(worker).equals(sentAway.get(worker)));
    sentAway = Map.copyOf(startIds);
    untold.retainAll(startIds.keySet());
    untold.addAll(news);
    for (Open hold : open) {
      if (news.contains(hold.workerId()) && isSentAway(hold.workerId(), hold.hold().startId())) {
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
