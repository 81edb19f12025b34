package io.asyncflow.worker.autoconfigure;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/**
 * Shows the worker in the application's metrics, as {@code asyncflow.worker.*}, if Micrometer is
 * present. Nothing is measured unless there is a registry.
 */
@AutoConfiguration(after = WorkerAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(WorkerLifecycle.class)
public class WorkerMetricsAutoConfiguration {

  @Bean
  MeterBinder asyncflowWorkerMeters(WorkerLifecycle lifecycle) {
    return registry -> {
      WorkerMeters meters = new WorkerMeters(registry, lifecycle);
      lifecycle.watch(meters::show, meters::ended);
    };
  }
}
