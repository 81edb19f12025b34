package io.asyncflow.flowsvr.base.system.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.base.system.db.DirectDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A table is changed while a long transaction, and calls of servers, use it. */
@Tag("contract")
class YieldingDdlIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void callsOfServersRunWhileAMigrationWaitsForALongTransaction() throws Exception {
    try (HikariDataSource pool = pool()) {
      DirectDatabase database = new DirectDatabase(pool, "sql_quote_show_create=1");
      JdbcClient server = JdbcClient.create(database.withTimeout(PATIENCE));
      server.sql("CREATE TABLE t_used (id INT PRIMARY KEY)").update();
      CompletableFuture<Void> migration;
      try (Connection transaction = pool.getConnection()) {
        transaction.setAutoCommit(false);
        read(transaction);
        migration =
            CompletableFuture.runAsync(
                () -> addColumn(database.withTimeout(PATIENCE)), OtherThread::start);
        await().atMost(PATIENCE).until(() -> waits(server));

        // Queues behind the ALTER, which gives way.
        assertThat(server.sql("SELECT COUNT(*) FROM t_used").query(Integer.class).single())
            .isZero();

        assertThat(migration).isNotDone();
        transaction.commit();
      }
      migration.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(server.sql("SELECT added FROM t_used").query(Integer.class).list()).isEmpty();
    }
  }

  private static HikariDataSource pool() {
    DatabaseEndpoint database = TestServices.database();
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database.jdbcUrl(TestServices.newSchema("yielding")));
    pool.setUsername(database.user());
    pool.setPassword(database.password());
    pool.setMaximumPoolSize(1);
    return pool;
  }

  private static void read(Connection transaction) throws SQLException {
    try (Statement statement = transaction.createStatement()) {
      statement.executeQuery("SELECT * FROM t_used");
    }
  }

  private static void addColumn(DataSource database) {
    try (Connection connection = new ScriptDatabase(database, new YieldingDdl()).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(YieldingDdl.GIVE_UP_SOON);
      statement.execute("ALTER TABLE t_used ADD COLUMN added INT");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean waits(JdbcClient server) {
    return server
            .sql(
                """
                SELECT COUNT(*) FROM information_schema.processlist
                WHERE db = DATABASE() AND state = 'Waiting for table metadata lock'
                """)
            .query(Integer.class)
            .single()
        > 0;
  }
}
