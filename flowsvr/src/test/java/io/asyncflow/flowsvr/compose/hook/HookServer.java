package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.flowsvr.RunningServer;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.test.context.ContextConfiguration;

/**
 * A {@link RunningServer} whose hooks may lead to {@code localhost}, where a {@link TlsReceiver}
 * stands, which can be injected. All tests with this annotation share both.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@ContextConfiguration(
    initializers = {RunningServer.OnTestDatabase.class, HookServer.WithReceiver.class})
public @interface HookServer {

  /** Starts the receiver and makes the server trust it. */
  class WithReceiver implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    @Override
    public void initialize(ConfigurableApplicationContext context) {
      TlsReceiver receiver = TlsReceiver.start();
      String trusted = "spring.ssl.bundle.jks.hooks.truststore.";
      TestPropertyValues.of(
              "flow.hooks.allow=localhost,127.0.0.1/32",
              "flow.hooks.ssl-bundle=hooks",
              trusted + "location=file:" + receiver.keyStore(),
              trusted + "password=" + TlsReceiver.PASSWORD,
              trusted + "type=PKCS12")
          .applyTo(context);
      ((GenericApplicationContext) context).registerBean(TlsReceiver.class, () -> receiver);
    }
  }
}
