package io.asyncflow.flowsvr.base.system.db;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.flowsvr.base.system.Node;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The pools as application.yml sets them up; nothing asks them for a connection. */
class PoolsTest {

  private final ApplicationContextRunner server =
      new ApplicationContextRunner()
          .withInitializer(new ConfigDataApplicationContextInitializer())
          .withUserConfiguration(OfServer.class);

  @Configuration(proxyBeanMethods = false)
  @EnableConfigurationProperties(DataSourceProperties.class)
  @Import({Pools.class, HeartbeatDatabase.class, ReadDatabase.class, Node.class})
  static class OfServer {}

  @Test
  void tenServersFitIntoTheDefaultOfMySql() {
    server.run(
        context -> {
          int most = pools(context).stream().mapToInt(HikariDataSource::getMaximumPoolSize).sum();
          assertThat(10 * (most + 1)).isLessThan(151);
        });
  }

  @Test
  void idleConnectionsAreGivenBackAfterAMinute() {
    server.run(
        context ->
            assertThat(pools(context))
                .allSatisfy(
                    pool -> {
                      assertThat(pool.getIdleTimeout()).isEqualTo(60_000);
                      assertThat(pool.getMinimumIdle()).isLessThanOrEqualTo(2);
                    }));
  }

  private static List<HikariDataSource> pools(ApplicationContext context) {
    return List.of(
        context.getBean(HikariDataSource.class),
        context.getBean(HeartbeatDatabase.class).pool(),
        context.getBean(ReadDatabase.class).pool());
  }
}
