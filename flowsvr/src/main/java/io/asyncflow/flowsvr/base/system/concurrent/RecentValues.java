package io.asyncflow.flowsvr.base.system.concurrent;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.asyncflow.flowsvr.base.system.Node;
import java.time.Duration;

/**
 * Values by key that were read lately, for all who ask for the same; {@link TimedCache} has one.
 */
public final class RecentValues {

  private RecentValues() {}

  /**
   * @param age for how long a value is kept
   * @param most beyond so many, some are forgotten earlier
   */
  public static <K, V> Cache<K, V> of(Duration age, int most, Node node) {
    return Caffeine.newBuilder()
        .maximumSize(most)
        .expireAfterWrite(age)
        .ticker(node::nanoTime)
        .build();
  }
}
