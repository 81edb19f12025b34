package io.asyncflow.flowsvr;

import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.base.system.db.ConnectionVerdict;
import io.asyncflow.flowsvr.base.system.db.DirectDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.flywaydb.core.Flyway;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A schema of one's own, with all tables and no server: for tests that change what all share. Its
 * connections have the time-outs of a server's.
 */
public final class OwnSchema implements AutoCloseable {

  /** What a server sets in each of its sessions. */
  private static final String SESSION = ofTheServer("flow.database.session");

  private final String name = TestServices.newSchema("own");
  private final HikariDataSource connections = new HikariDataSource();

  public OwnSchema() {
    this(Duration.ofSeconds(15));
  }

  /**
   * @param socketTimeout after which a statement that is not answered is given up
   */
  public OwnSchema(Duration socketTimeout) {
    DatabaseEndpoint database = TestServices.database();
    connections.setJdbcUrl(database.jdbcUrl(name));
    connections.setUsername(database.user());
    connections.setPassword(database.password());
    connections.setMaximumPoolSize(40);
    connections.setMinimumIdle(0);
    connections.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    connections.setExceptionOverrideClassName(ConnectionVerdict.class.getName());
    connections.addDataSourceProperty("socketTimeout", "" + socketTimeout.toMillis());
    connections.addDataSourceProperty("sessionVariables", SESSION + ",innodb_lock_wait_timeout=3");
    Flyway.configure().dataSource(connections).load().migrate();
  }

  private static String ofTheServer(String setting) {
    YamlPropertiesFactoryBean settings = new YamlPropertiesFactoryBean();
    settings.setResources(new ClassPathResource("application.yml"));
    return settings.getObject().getProperty(setting);
  }

  /** A connection outside of any time-out and pool, for what a stranger does. */
  public Connection connect() throws SQLException {
    return TestServices.database().connect(name);
  }

  public String name() {
    return name;
  }

  public HikariDataSource connections() {
    return connections;
  }

  public DirectDatabase direct() {
    return new DirectDatabase(connections, SESSION);
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
