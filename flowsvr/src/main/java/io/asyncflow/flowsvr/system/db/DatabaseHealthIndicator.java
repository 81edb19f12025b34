package io.asyncflow.flowsvr.system.db;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** In place of Spring Boot's, which waits for a connection of the pool: told at once, always. */
@Component("dbHealthIndicator")
class DatabaseHealthIndicator implements HealthIndicator {

  private final DatabaseWatch database;

  DatabaseHealthIndicator(DatabaseWatch database) {
    this.database = database;
  }

  @Override
  public Health health() {
    return database.isUp() ? Health.up().build() : Health.down().build();
  }
}
