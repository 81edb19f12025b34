package io.asyncflow.spring.outbox;

import io.asyncflow.api.FlowClient;
import io.asyncflow.spring.CurrentTrace;
import io.asyncflow.spring.FlowClientAutoConfiguration;
import io.asyncflow.spring.SetupException;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Gives the application a {@link TransactionalFlowClient}, if {@code
 * asyncflow.client.outbox.enabled} is true. Its table is in the application's DataSource, the
 * primary one where there are several.
 */
@AutoConfiguration(
    after = FlowClientAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration"
    })
@ConditionalOnClass(JdbcTemplate.class)
@ConditionalOnProperty(prefix = "asyncflow.client.outbox", name = "enabled", havingValue = "true")
@EnableConfigurationProperties(OutboxProperties.class)
public class OutboxAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  OutboxTable asyncflowOutboxTable(DataSource dataSource, OutboxProperties properties) {
    String name = properties.table();
    if (!OutboxTable.isName(name)) {
      throw new SetupException(
          "asyncflow.client.outbox.table is no name of a table: " + name,
          "A name has letters, digits and _, perhaps after that of a schema and a dot.",
          null);
    }
    OutboxTable table = new OutboxTable(dataSource, name);
    table.initialize(properties.initializeSchema());
    return table;
  }

  @Bean
  @ConditionalOnMissingBean
  OutboxRelay asyncflowOutboxRelay(
      OutboxTable table, ObjectProvider<FlowClient> clients, OutboxProperties properties) {
    Duration interval = properties.pollInterval();
    if (interval.toMillis() <= 0) {
      throw new SetupException(
          "asyncflow.client.outbox.poll-interval is not positive: " + interval,
          "Set it to 1ms or more; the default is 5s.",
          null);
    }
    FlowClient client = clients.getIfAvailable();
    if (client == null) {
      throw new SetupException(
          "The outbox has no client that sends its tasks.",
          "Set asyncflow.client.url to the URL of flowsvr, or define a bean of type FlowClient.",
          null);
    }
    return new OutboxRelay(table, client, interval);
  }

  @Bean
  @ConditionalOnMissingBean
  TransactionalFlowClient asyncflowTransactionalClient(
      OutboxTable table,
      OutboxRelay relay,
      FlowClient client,
      ObjectProvider<CurrentTrace> traces) {
    return new TransactionalFlowClient(
        table, client, traces.getIfAvailable(() -> CurrentTrace.NONE), relay::wakeUp);
  }

  /** Gauges, if the application has Micrometer. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterBinder.class)
  static class Meters {

    @Bean
    MeterBinder asyncflowOutboxMeters(OutboxTable table) {
      return new OutboxMeters(table);
    }
  }
}
