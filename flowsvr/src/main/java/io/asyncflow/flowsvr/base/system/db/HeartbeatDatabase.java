package io.asyncflow.flowsvr.base.system.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Component;

/**
 * A few connections for heartbeats alone, so that leases are renewed even when all other requests
 * wait for the database.
 */
@Component
public class HeartbeatDatabase implements DisposableBean {

  private final HikariDataSource pool;
  private final JdbcTemplate template;
  private final RetryingTransactions transactions;

  HeartbeatDatabase(
      HikariDataSource database, @Value("${flow.heartbeat-connections:3}") int connections) {
    HikariConfig config = new HikariConfig();
    database.copyStateTo(config);
    config.setPoolName("heartbeats");
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(0);
    this.pool = new HikariDataSource(config);
    this.template = new JdbcTemplate(pool);
    this.transactions = new RetryingTransactions(new JdbcTransactionManager(pool));
  }

  public JdbcClient client() {
    return JdbcClient.create(template);
  }

  public JdbcTemplate template() {
    return template;
  }

  public RetryingTransactions transactions() {
    return transactions;
  }

  HikariDataSource pool() {
    return pool;
  }

  @Override
  public void destroy() {
    pool.close();
  }
}
