package io.asyncflow.flowsvr.system.db;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Replaces Spring Boot's indicator, which waits for a pooled connection; this one always answers at
 * once.
 */
@Component("dbHealthIndicator")
class DatabaseHealthIndicator implements HealthIndicator {

  private final DatabaseWatch database;

  DatabaseHealthIndicator(DatabaseWatch database) {
    this.database = database;
  }

  @Override
  public Health health() {
    return database.isReady() ? Health.up().build() : Health.down().build();
  }
}
