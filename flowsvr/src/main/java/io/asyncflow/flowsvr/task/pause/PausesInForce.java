package io.asyncflow.flowsvr.task.pause;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.concurrent.TimedCache;
import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;
import java.time.Duration;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * What is paused, as this server knows it. Callers share the reads: one statement a second while
 * tasks are claimed, none on a server without claims and pauses. Thread-safe.
 */
@Component
public class PausesInForce {

  /** So that a claim that has asked still has time to commit within the second. */
  private static final Duration FRESH = Duration.ofMillis(800);

  private final PauseStore store;
  private final TimedCache<Paused> cache;

  PausesInForce(PauseStore store, Node node, TaskMeters meters) {
    this.store = store;
    this.cache = new TimedCache<>(Paused.NOTHING, store::inForce, node::nanoTime);
    show(meters, "type", paused -> paused.types().size());
    show(meters, "stage", paused -> paused.stages().values().stream().mapToInt(Set::size).sum());
    show(meters, "worker", paused -> paused.workers().size());
    show(meters, "job", paused -> paused.anyJob() ? 1 : 0);
  }

  @Bean
  static ClusterEvent.Kind pauseNews() {
    return new ClusterEvent.Kind("pause", new PausesChanged(true));
  }

  private void show(TaskMeters meters, String kind, ToIntFunction<Paused> count) {
    meters.show(
        "pauses",
        "what is paused, as this server knows it",
        "kind",
        kind,
        () -> count.applyAsInt(lastKnown()));
  }

  /** What was paused when this server last asked. Reads nothing. */
  public Paused lastKnown() {
    return cache.lastKnown();
  }

  /**
   * What is paused now; reads it if it is not fresh, and throws if the database does not answer.
   */
  public Paused now() {
    return cache.fresh(FRESH);
  }

  /**
   * The same for a caller in a transaction, which has a connection: it waits for no other caller,
   * because that one may wait for a connection. A statement of its own, unless {@link #now} was
   * called a moment before.
   */
  public Paused nowInTransaction() {
    return cache.known(FRESH).orElseGet(store::inForce);
  }

  /**
   * What was paused a moment ago. Reads only if something was, or if this server has changed it: so
   * it costs nothing without pauses, and a line notices the end of each within two seconds. While
   * the database does not answer, it is what was known last.
   */
  public Paused lately() {
    try {
      return cache.known().filter(Paused::isNothing).orElseGet(cache::recent);
    } catch (RuntimeException e) {
      return lastKnown();
    }
  }

  @EventListener
  @Order(Ordered.HIGHEST_PRECEDENCE)
  public void on(PausesChanged news) {
    cache.outdated();
  }
}
