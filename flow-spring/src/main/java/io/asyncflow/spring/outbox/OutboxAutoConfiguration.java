package io.asyncflow.spring.outbox;

import io.asyncflow.api.FlowClient;
import io.asyncflow.spring.FlowClientAutoConfiguration;
import io.micrometer.core.instrument.binder.MeterBinder;
import javax.sql.DataSource;
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
    OutboxTable table = new OutboxTable(dataSource, properties.getTable());
    table.initialize(properties.getInitializeSchema());
    return table;
  }

  @Bean
  @ConditionalOnMissingBean
  OutboxRelay asyncflowOutboxRelay(
      OutboxTable table, FlowClient client, OutboxProperties properties) {
    return new OutboxRelay(table, client, properties.getPollInterval());
  }

  @Bean
  @ConditionalOnMissingBean
  TransactionalFlowClient asyncflowTransactionalClient(OutboxTable table, OutboxRelay relay) {
    return new TransactionalFlowClient(table, relay::wakeUp);
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
