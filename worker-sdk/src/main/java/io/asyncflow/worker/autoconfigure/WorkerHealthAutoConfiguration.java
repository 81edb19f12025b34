package io.asyncflow.worker.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;

/**
 * Shows the worker as component {@code asyncflow} of the application's health, if Spring Boot's
 * Actuator is present; {@code management.health.asyncflow.enabled=false} disables it.
 */
@AutoConfiguration(after = WorkerAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(WorkerLifecycle.class)
@ConditionalOnEnabledHealthIndicator("asyncflow")
public class WorkerHealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "asyncflowHealthIndicator")
  HealthIndicator asyncflowHealthIndicator(WorkerLifecycle lifecycle) {
    return () -> {
      WorkerHealth health = WorkerHealth.of(lifecycle);
      return new Health.Builder(new Status(health.status()), health.details()).build();
    };
  }
}
