package io.asyncflow.spring.outbox;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.testing.TestServices;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** On MySQL or MariaDB, with their default isolation. */
@Tag("contract")
class OutboxOnMySqlIT extends OutboxContract {

  private static final String SCHEMA = TestServices.newSchema("outbox");

  @Override
  DataSource dataSource() {
    DatabaseEndpoint database = TestServices.database();
    return new DriverManagerDataSource(
        database.jdbcUrl(SCHEMA), database.user(), database.password());
  }
}
