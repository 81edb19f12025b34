package io.asyncflow.worker.redis;

import io.asyncflow.worker.HoldLock;
import java.util.function.Supplier;

/** Locks in Redis, for workers with {@code asyncflow.worker.redis-url}. */
public final class RedissonHoldLocks implements HoldLock.Provider {

  @Override
  public Supplier<HoldLock> at(String url) {
    RedisAddress address = RedisAddress.parse(url);
    return () -> new RedissonHoldLock(address);
  }
}
