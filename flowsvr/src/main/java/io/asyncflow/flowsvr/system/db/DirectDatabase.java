package io.asyncflow.flowsvr.system.db;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.stereotype.Component;

/**
 * Connections outside the pool, for code that must not depend on it. Each is opened on request, and
 * errors are the driver's own.
 */
@Component
public class DirectDatabase {

  private final HikariDataSource pool;
  private final String session;

  /**
   * @param session what each session sets, as Connector/J's {@code sessionVariables}
   */
  public DirectDatabase(HikariDataSource pool, @Value("${flow.database.session}") String session) {
    this.pool = pool;
    this.session = session;
  }

  /** The database's URL without secrets. */
  public String place() {
    return DatabaseUrl.withoutSecrets(pool.getJdbcUrl());
  }

  /**
   * A source of connections with this time-out.
   *
   * @param patience for connecting, and for the answer to each statement
   */
  public DataSource withTimeout(Duration patience) {
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
    settings.setProperty("sessionVariables", session); // without the limits of requests
    String atMost = Long.toString(Math.max(1, patience.toMillis())); // 0 would mean no limit
    settings.setProperty("connectTimeout", atMost);
    settings.setProperty("socketTimeout", atMost);
    database.setConnectionProperties(settings);
    return database;
  }
}
