package io.asyncflow.worker.autoconfigure;

import io.asyncflow.api.FlowClient;
import io.asyncflow.worker.Worker;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Makes the application a worker for the stages that its beans handle. A {@link FlowClient} bean,
 * if there is one, is used instead of a client of the worker's own.
 */
@AutoConfiguration
@ConditionalOnProperty(
    prefix = "asyncflow.worker",
    name = "enabled",
    havingValue = "true",
    matchIfMissing = true)
@EnableConfigurationProperties(WorkerProperties.class)
public class WorkerAutoConfiguration {

  private static final String DEFAULT_URL = "http://127.0.0.1:8081";

  @Bean
  @ConditionalOnMissingBean
  WorkerLifecycle asyncflowWorkerLifecycle(
      WorkerProperties properties,
      Environment environment,
      ConfigurableListableBeanFactory beans,
      ObjectProvider<FlowClient> client) {
    return new WorkerLifecycle(
        () -> builder(properties, environment).client(client.getIfUnique()), new StageBeans(beans));
  }

  private static Worker.Builder builder(WorkerProperties properties, Environment environment) {
    return Worker.builder()
        .settings(properties.toSettings())
        .url(or(properties.getUrl(), environment.getProperty("FLOW_URL", DEFAULT_URL)))
        .apiKey(or(properties.getApiKey(), environment.getProperty("FLOW_API_KEY")))
        .redis(or(properties.getRedisUrl(), environment.getProperty("FLOW_REDIS_URL")))
        // The application context stops it, and knows in which order.
        .stopsWithTheJvm(false);
  }

  private static String or(String value, String otherwise) {
    return value == null || value.isBlank() ? otherwise : value;
  }
}
