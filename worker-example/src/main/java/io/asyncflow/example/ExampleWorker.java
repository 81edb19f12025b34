package io.asyncflow.example;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * A worker for the task types {@code lark} and {@code tts}.
 *
 * <p>The SDK's auto-configuration finds the beans with stages, connects to flowsvr and runs them;
 * your own worker needs only such a class and a handler.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class ExampleWorker {

  public static void main(String[] args) {
    SpringApplication.run(ExampleWorker.class, args);
  }
}
