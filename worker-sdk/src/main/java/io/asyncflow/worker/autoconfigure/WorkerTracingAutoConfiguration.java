package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.tracing.MicrometerTracing;
import io.asyncflow.worker.tracing.RunTracing;
import io.micrometer.tracing.Tracer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Opens a span for each run, if the application has a tracer of Micrometer Tracing. */
@AutoConfiguration
@ConditionalOnClass(Tracer.class)
public class WorkerTracingAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  RunTracing asyncflowRunTracing(ObjectProvider<Tracer> tracers) {
    Tracer tracer = tracers.getIfUnique();
    return tracer == null ? RunTracing.OFF : new MicrometerTracing(tracer);
  }
}
