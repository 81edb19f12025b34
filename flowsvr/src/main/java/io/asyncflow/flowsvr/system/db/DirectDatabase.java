package io.asyncflow.flowsvr.system.db;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.stereotype.Component;

/**
 * Connections outside of the pool, for who must not depend on it: each is made when it is asked
 * for, and what goes wrong is said in the driver's own words.
 */
@Component
class DirectDatabase {

  private final HikariDataSource pool;

  DirectDatabase(HikariDataSource pool) {
    this.pool = pool;
  }

  /** Where the database is, without secrets. */
  String place() {
    return DatabaseUrl.withoutSecrets(pool.getJdbcUrl());
  }

  /**
   * Makes connections on which nothing is waited for longer than this.
   *
   * @param patience for a connection, and for the answer to each statement
   */
  DataSource within(Duration patience) {
    SimpleDriverDataSource database =
        DataSourceBuilder.create()
            .type(SimpleDriverDataSource.class)
            .driverClassName(pool.getDriverClassName())
            .url(pool.getJdbcUrl())
            .username(pool.getUsername())
            .password(pool.getPassword())
            .build();
    Properties settings = new Properties();
    settings.putAll(pool.getDataSourceProperties());
    settings.remove("sessionVariables"); // limits for requests
    String atMost = Long.toString(Math.max(1, patience.toMillis())); // 0 would be for ever
    settings.setProperty("connectTimeout", atMost);
    settings.setProperty("socketTimeout", atMost);
    database.setConnectionProperties(settings);
    return database;
  }
}
