package io.asyncflow.worker.autoconfigure;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Counts local retries as {@code asyncflow.local.retries}, if Micrometer is present. */
@AutoConfiguration(after = WorkerAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(WorkerLifecycle.class)
public class WorkerMetricsAutoConfiguration {

  @Bean
  MeterBinder asyncflowWorkerMeters(WorkerLifecycle lifecycle) {
    return registry ->
        FunctionCounter.builder(
                "asyncflow.local.retries",
                lifecycle,
                l -> l.worker().map(worker -> worker.view().localRetries()).orElse(0L))
            .description("runs of a handler that the worker repeated in the same hold")
            .register(registry);
  }
}
