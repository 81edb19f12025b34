package io.asyncflow.spring.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.spring.FlowClientAutoConfiguration;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

class OutboxOnH2Test extends OutboxContract {

  private static DriverManagerDataSource newDatabase() {
    return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
  }

  @Override
  DataSource dataSource() {
    return newDatabase();
  }

  /** H2 locks all rows that it sorts. */
  @Override
  int leftBesideAClaimOf100() {
    return 0;
  }

  private final FakeFlowServer server = new FakeFlowServer().withType("mail");

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  FlowClientAutoConfiguration.class, OutboxAutoConfiguration.class))
          .withBean(FlowClient.class, () -> server)
          .withBean(DataSource.class, OutboxOnH2Test::newDatabase);

  @Test
  void applicationThatEnablesItHasATableAndARelay() {
    application
        .withPropertyValues("asyncflow.client.outbox.enabled=true")
        .run(
            context -> {
              TransactionTemplate transaction =
                  new TransactionTemplate(
                      new DataSourceTransactionManager(context.getBean(DataSource.class)));
              TransactionalFlowClient flow = context.getBean(TransactionalFlowClient.class);
              transaction.executeWithoutResult(
                  status -> flow.create(NewTask.of("mail", "send", "ada", "")));
              await()
                  .until(
                      () ->
                          server.getTaskList("mail", TaskPageRequest.of()).taskList().size() == 1);
            });
  }

  @Test
  void gaugesCountTheRowsOfEachState() {
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    application
        .withPropertyValues("asyncflow.client.outbox.enabled=true")
        .run(
            context -> {
              context.getBean(MeterBinder.class).bindTo(meters);
              new JdbcTemplate(context.getBean(DataSource.class))
                  .update(
                      "INSERT INTO asyncflow_outbox (due_ms, id, task) VALUES (?, 'x', '')",
                      Long.MAX_VALUE);
              assertThat(gauge(meters, "refused")).isEqualTo(1);
              assertThat(gauge(meters, "waiting")).isZero();
              assertThat(gauge(meters, "postponed")).isZero();
            });
  }

  private static double gauge(SimpleMeterRegistry meters, String state) {
    return meters.get("asyncflow.outbox.tasks").tag("state", state).gauge().value();
  }

  @Test
  void applicationThatDoesNotHasNothingOfIt() {
    application.run(
        context ->
            assertThat(context)
                .doesNotHaveBean(TransactionalFlowClient.class)
                .doesNotHaveBean(OutboxRelay.class));
  }

  @Test
  void applicationWithoutTheTableSaysHowToMakeIt() {
    application
        .withPropertyValues(
            "asyncflow.client.outbox.enabled=true",
            "asyncflow.client.outbox.initialize-schema=never")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("initialize-schema=always"));
  }
}
