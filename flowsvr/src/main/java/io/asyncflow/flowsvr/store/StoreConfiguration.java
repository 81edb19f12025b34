package io.asyncflow.flowsvr.store;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Which store it is. */
@Configuration
class StoreConfiguration {

  @Bean
  ContextStore contextStore(StoreProperties properties) {
    return new DirectoryContextStore(properties.directory(), properties.minFree().toBytes());
  }
}
