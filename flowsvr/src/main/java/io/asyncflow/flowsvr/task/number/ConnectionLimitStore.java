package io.asyncflow.flowsvr.task.number;

import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Warns at the start if the database allows fewer connections than the servers may open. The others
 * are taken to be as this one.
 */
@Component
class ConnectionLimitStore {

  private static final Logger log = LoggerFactory.getLogger(ConnectionLimitStore.class);

  private final JdbcClient jdbc;
  private final LiveServers servers;
  private final DatabaseWatch database;

  ConnectionLimitStore(JdbcClient jdbc, LiveServers servers, DatabaseWatch database) {
    this.jdbc = jdbc;
    this.servers = servers;
    this.database = database;
  }

  @EventListener(ApplicationReadyEvent.class)
  void warnOfTooMany() {
    int allowed = jdbc.sql("SELECT @@global.max_connections").query(Integer.class).single();
    int live = servers.list().size();
    if (live * database.mostConnections() > allowed) {
      log.warn(
          "{} servers may open {} connections each, and the database has {} in all: lower"
              + " FLOW_MYSQL_CONNECTIONS, or raise max_connections",
          live,
          database.mostConnections(),
          allowed);
    }
  }
}
