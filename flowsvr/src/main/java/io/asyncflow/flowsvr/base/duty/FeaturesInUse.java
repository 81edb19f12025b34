package io.asyncflow.flowsvr.base.duty;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.TimedCache;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.springframework.stereotype.Component;

/**
 * Knows which features are in use. One statement each ten seconds reads it for all the features
 * that were ever asked for. Thread-safe.
 */
@Component
public class FeaturesInUse {

  private static final Duration FRESH = Duration.ofSeconds(10);

  private final Set<Feature> asked = new CopyOnWriteArraySet<>();
  private final TimedCache<Set<Feature>> inUse;

  FeaturesInUse(FeatureStore store, Node node) {
    this.inUse = new TimedCache<>(null, () -> store.inUse(List.copyOf(asked)), node::nanoTime);
  }

  /**
   * Whether a feature was in use when that was last read: now, or in the last ten seconds. Until
   * that could be read once, all are.
   */
  public boolean has(Feature feature) {
    if (asked.add(feature)) {
      changed();
    }
    Set<Feature> known = inUse.within(FRESH);
    return known == null || known.contains(feature);
  }

  /** A feature may be in use from now on: the next one that asks has it read. */
  public void changed() {
    inUse.outdated();
  }
}
