package io.asyncflow.spring;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.codec.PayloadCodec;
import io.micrometer.tracing.Tracer;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Gives the application a {@link FlowClient}, if {@code asyncflow.client.url} is set and it has
 * none of its own, such as a fake in its tests. Saves the task types of the properties, and those
 * that are beans of type {@link TaskTypeSettings}, through whichever client there is.
 */
@AutoConfiguration
@EnableConfigurationProperties(FlowClientProperties.class)
public class FlowClientAutoConfiguration {

  /**
   * @param codecs seals what the client sends, and opens what it reads
   * @param traces has the {@code traceparent} that the client sends with each call
   */
  @Bean
  @ConditionalOnMissingBean(FlowClient.class)
  @ConditionalOnProperty("asyncflow.client.url")
  FlowClient asyncflowClient(
      FlowClientProperties properties,
      Environment environment,
      ObjectProvider<PayloadCodec> codecs,
      ObjectProvider<CurrentTrace> traces) {
    return ClientConnection.of(properties, environment)
        .client(codecs.getIfAvailable(), traces.getIfAvailable(() -> CurrentTrace.NONE));
  }

  @Bean
  @ConditionalOnSingleCandidate(FlowClient.class)
  TaskTypeSaver asyncflowTaskTypeSaver(
      FlowClient client,
      FlowClientProperties properties,
      Environment environment,
      ObjectProvider<TaskTypeSettings> declared) {
    DeclaredTypes.requireKnownNames(environment);
    Stream<TaskTypeSettings> ofProperties =
        properties.types().entrySet().stream()
            .map(type -> RecordCopy.with(type.getValue(), "taskType", type.getKey()));
    List<TaskTypeSettings> types = Stream.concat(ofProperties, declared.orderedStream()).toList();
    return new TaskTypeSaver(client, types, environment.getProperty("spring.application.name"));
  }

  /** The trace of the calls, if the application has a tracer. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Tracer.class)
  static class Traces {

    @Bean
    @ConditionalOnMissingBean
    CurrentTrace asyncflowCurrentTrace(ObjectProvider<Tracer> tracers) {
      Tracer tracer = tracers.getIfUnique();
      return tracer == null ? CurrentTrace.NONE : new MicrometerTrace(tracer);
    }
  }
}
