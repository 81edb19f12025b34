package io.asyncflow.flowsvr;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.testing.TestServices;
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
 * Runs the test against the whole server on a real port and a real database.
 *
 * <p>All tests with nothing but this annotation share one server and one schema, so each works with
 * task types of its own. Leases that ran out are swept only when a test does it. A {@link Given}
 * and a {@link FireLedger} can be injected.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@ContextConfiguration(initializers = RunningServer.OnTestDatabase.class)
public @interface RunningServer {

  /** Where the servers of this JVM keep objects; tests run in several JVMs at once. */
  String STORE = "target/store-" + System.getProperty("surefire.forkNumber", "0");

  /** Points the server to a schema that nobody used before. */
  class OnTestDatabase implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    @Override
    public void initialize(ConfigurableApplicationContext context) {
      DatabaseEndpoint database = TestServices.database();
      TestPropertyValues.of(
              "spring.datasource.url=" + database.jdbcUrl(TestServices.newSchema("flowsvr")),
              "spring.datasource.username=" + database.user(),
              "spring.datasource.password=" + database.password(),
              "flow.stats.rest=1",
              "flow.store.dir=" + STORE,
              "flow.store.min-free=1MB")
          .applyTo(context);
      GenericApplicationContext beans = (GenericApplicationContext) context;
      beans.registerBean(Given.class);
      beans.registerBean(FireLedger.class);
    }
  }
}
