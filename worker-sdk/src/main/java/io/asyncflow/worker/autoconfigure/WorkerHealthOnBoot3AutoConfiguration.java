package io.asyncflow.worker.autoconfigure;

import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The same as {@link WorkerHealthAutoConfiguration} for Spring Boot 3, whose Actuator has other
 * names.
 */
@AutoConfiguration(after = WorkerAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(WorkerLifecycle.class)
@ConditionalOnExpression(
    "${management.health.asyncflow.enabled:${management.health.defaults.enabled:true}}")
public class WorkerHealthOnBoot3AutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "asyncflowHealthIndicator")
  HealthIndicator asyncflowHealthIndicator(WorkerLifecycle lifecycle) {
    return () -> {
      WorkerHealth health = WorkerHealth.of(lifecycle);
      return new Health.Builder(new Status(health.status()), health.details()).build();
    };
  }
}
