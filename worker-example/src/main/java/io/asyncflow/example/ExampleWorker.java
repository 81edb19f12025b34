package io.asyncflow.example;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * A worker for the task types {@code lark} and {@code tts}.
 *
 * <p>The SDK's auto-configuration finds the beans with stages, connects to flowsvr and runs them; a
 * worker of your own needs no more than this class and a handler.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class ExampleWorker {

  public static void main(String[] args) {
    SpringApplication.run(ExampleWorker.class, args);
  }
}
