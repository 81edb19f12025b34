package io.asyncflow.flowsvr.system.redis;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** Shown beside the database's health; no part of readiness, because work goes on without Redis. */
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
