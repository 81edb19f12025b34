package io.asyncflow.flowsvr.system.redis;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Shows the health of Redis. It is not part of readiness, because the server works without Redis.
 */
@Component("redisHealthIndicator")
class RedisHealthIndicator implements HealthIndicator {

  private final RedisLink redis;

  RedisHealthIndicator(RedisLink redis) {
    this.redis = redis;
  }

  @Override
  public Health health() {
    if (!redis.isConfigured()) {
      return Health.unknown().withDetail("reason", "no Redis is configured").build();
    }
    return redis.answers() ? Health.up().build() : Health.down().build();
  }
}
