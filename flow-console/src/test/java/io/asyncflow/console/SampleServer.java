package io.asyncflow.console;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The console alone, over a {@link SampleApi}. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class SampleServer {

  @Bean
  SampleApi sampleApi() {
    return new SampleApi();
  }

  @Bean
  LogIn sampleLogIn() {
    return new SampleLogIn();
  }

  @Bean
  SampleDoor sampleDoor() {
    return new SampleDoor();
  }

  /** Starts it on a free port, with these settings. */
  public static ConfigurableApplicationContext start(String... settings) {
    SpringApplication application = new SpringApplication(SampleServer.class);
    String[] arguments = new String[settings.length + 1];
    System.arraycopy(settings, 0, arguments, 0, settings.length);
    arguments[settings.length] = "--spring.main.banner-mode=off";
    return application.run(arguments);
  }

  public static void main(String[] args) {
    start(args);
  }
}
