package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.base.system.redis.RedisLink;
import org.springframework.stereotype.Component;

/** Gauges for the state of the database and of Redis. */
@Component
class SystemMeters {

  SystemMeters(TaskMeters meters, DatabaseWatch database, RedisLink redis) {
    meters.show(
        "database.up",
        "0 while the database does not answer and requests are refused",
        () -> database.isUp() ? 1 : 0);
    meters.show(
        "database.writers",
        "database servers that the servers write to; more than one is an error",
        database::writers);
    meters.show(
        "redis.breaker.open",
        "1 while Redis did not answer lately and is not called",
        () -> redis.isGivenUp() ? 1 : 0);
  }
}
