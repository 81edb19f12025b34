package io.asyncflow.flowsvr.duty;

import io.asyncflow.flowsvr.system.Node;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Component;

/**
 * Knows which features are in use. One statement each ten seconds reads it for all the features
 * that were ever asked for. Thread-safe.
 */
@Component
public class FeaturesInUse {

  private static final long FRESH = Duration.ofSeconds(10).toNanos();

  private final FeatureStore store;
  private final Node node;
  private final Set<Feature> asked = new CopyOnWriteArraySet<>();
  private final AtomicInteger news = new AtomicInteger();
  private volatile Seen last;

  /**
   * What was read.
   *
   * @param of the features that it tells of
   * @param newsSeen the news before the read
   * @param at when it began, by {@link Node#nanoTime()}
   */
  private record Seen(List<Feature> of, Set<Feature> inUse, int newsSeen, long at) {}

  FeaturesInUse(FeatureStore store, Node node) {
    this.store = store;
    this.node = node;
  }

  /** Whether a feature was in use when that was last read: now, or in the last ten seconds. */
  public boolean has(Feature feature) {
    asked.add(feature);
    Seen seen = last;
    if (!tellsOf(feature, seen)) {
      seen = readUnlessRead(feature);
    }
    return seen.inUse().contains(feature);
  }

  /** A feature may be in use from now on: the next one that asks has it read. */
  public void changed() {
    news.incrementAndGet();
  }

  private boolean tellsOf(Feature feature, Seen seen) {
    return seen != null
        && seen.of().contains(feature)
        && seen.newsSeen() == news.get()
        && node.nanoTime() - seen.at() < FRESH;
  }

  private synchronized Seen readUnlessRead(Feature feature) {
    Seen seen = last;
    if (!tellsOf(feature, seen)) {
      seen = read();
      last = seen;
    }
    return seen;
  }

  private Seen read() {
    int newsSeen = news.get();
    long at = node.nanoTime();
    List<Feature> of = List.copyOf(asked);
    return new Seen(of, store.inUse(of), newsSeen, at);
  }
}
