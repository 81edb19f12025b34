package io.asyncflow.worker.autoconfigure;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.codec.PayloadCodec;
import io.asyncflow.worker.InvalidSettingException;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.tracing.RunTracing;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Makes the application a worker for the stages that its beans handle. The worker creates its own
 * clients, because the application's client has another time-out and may have another server. Only
 * a {@link FlowClient} bean with the name {@value #CLIENT_BEAN} replaces them, for example in
 * tests.
 */
@AutoConfiguration
@ConditionalOnProperty(
    prefix = "asyncflow.worker",
    name = "enabled",
    havingValue = "true",
    matchIfMissing = true)
@EnableConfigurationProperties(WorkerProperties.class)
public class WorkerAutoConfiguration {

  static final String CLIENT_BEAN = "asyncflowWorkerClient";

  @Bean
  @ConditionalOnMissingBean
  WorkerLifecycle asyncflowWorkerLifecycle(
      WorkerProperties properties,
      Environment environment,
      ConfigurableListableBeanFactory beans,
      @Qualifier(CLIENT_BEAN) ObjectProvider<FlowClient> client,
      ObjectProvider<PayloadCodec> codecs,
      ObjectProvider<RunTracing> tracings,
      ApplicationEventPublisher events) {
    WorkerConnection connection = WorkerConnection.of(properties, environment);
    PayloadCodec codec = codecOf(properties, codecs.getIfAvailable());
    // Report invalid settings now, not when half of the application has started.
    builder(properties, connection, codec);
    return new WorkerLifecycle(
        () ->
            builder(properties, connection, codec)
                .client(client.getIfAvailable())
                .tracing(tracings.getIfAvailable(() -> RunTracing.OFF)),
        new StageBeans(beans),
        events);
  }

  /**
   * The codec of the property or the bean; {@code null} if there is neither.
   *
   * @throws InvalidSettingException if there are both, or the class is no codec
   */
  private static PayloadCodec codecOf(WorkerProperties properties, PayloadCodec bean) {
    String name = properties.codec();
    if (name == null || name.isBlank()) {
      return bean;
    }
    if (bean != null) {
      throw new InvalidSettingException("codec", "unset where there is a PayloadCodec bean");
    }
    try {
      Class<?> type = ClassUtils.forName(name.strip(), null);
      return (PayloadCodec) BeanUtils.instantiateClass(type);
    } catch (ClassNotFoundException | LinkageError | ClassCastException | BeansException e) {
      Throwable why = e.getCause() == null ? e : e.getCause();
      throw new InvalidSettingException(
          "codec",
          "the class of a PayloadCodec that can be created, and " + name + " is not: " + why);
    }
  }

  private static Worker.Builder builder(
      WorkerProperties properties, WorkerConnection connection, PayloadCodec codec) {
    Worker.Builder builder =
        Worker.builder()
            .settings(properties.toSettings())
            .gpuSlots(properties.gpuSlots())
            .apiKey(connection.apiKey())
            .apiKeyFile(connection.apiKeyFile())
            .caFile(connection.caFile())
            .redis(connection.redisUrl())
            // The application context stops the worker, in the right order.
            .stopsWithTheJvm(false);
    if (codec != null) {
      builder.codec(codec);
    }
    return connection.url() == null ? builder : builder.url(connection.url());
  }
}
