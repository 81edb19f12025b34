package io.asyncflow.flowsvr;

import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.dev.DatabaseEndpoint;
import io.asyncflow.dev.TestEngines;
import org.flywaydb.core.Flyway;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A schema of one's own, with all tables and no server: for tests that change what all share. Its
 * connections have the time-outs of a server's.
 */
public final class OwnSchema implements AutoCloseable {

  private final HikariDataSource connections = new HikariDataSource();

  public OwnSchema() {
    DatabaseEndpoint database = TestEngines.database();
    connections.setJdbcUrl(database.jdbcUrl(TestEngines.newSchema("own")));
    connections.setUsername(database.user());
    connections.setPassword(database.password());
    connections.setMaximumPoolSize(40);
    connections.setMinimumIdle(0);
    connections.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    connections.addDataSourceProperty("socketTimeout", "15000");
    connections.addDataSourceProperty("sessionVariables", "innodb_lock_wait_timeout=3");
    Flyway.configure().dataSource(connections).load().migrate();
  }

  public HikariDataSource connections() {
    return connections;
  }

  public JdbcTemplate template() {
    return new JdbcTemplate(connections);
  }

  public JdbcClient jdbc() {
    return JdbcClient.create(connections);
  }

  @Override
  public void close() {
    connections.close();
  }
}
