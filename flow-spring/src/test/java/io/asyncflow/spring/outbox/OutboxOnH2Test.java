package io.asyncflow.spring.outbox;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.CreateResult;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.codec.CodecException;
import io.asyncflow.api.codec.Field;
import io.asyncflow.api.codec.PayloadCodec;
import io.asyncflow.api.codec.SealingFlowClient;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.spring.CurrentTrace;
import io.asyncflow.spring.FlowClientAutoConfiguration;
import io.asyncflow.spring.outbox.OutboxProperties.InitializeSchema;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

@ExtendWith(OutputCaptureExtension.class)
class OutboxOnH2Test extends OutboxContract {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

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
  void taskIsInTheTraceOfTheApplication() {
    String span = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    application
        .withPropertyValues("asyncflow.client.outbox.enabled=true")
        .withBean(CurrentTrace.class, () -> () -> span)
        .run(
            context -> {
              new TransactionTemplate(
                      new DataSourceTransactionManager(context.getBean(DataSource.class)))
                  .executeWithoutResult(
                      status ->
                          context
                              .getBean(TransactionalFlowClient.class)
                              .create(NewTask.of("mail", "send", "ada", "")));
              await()
                  .untilAsserted(
                      () ->
                          assertThat(server.getTaskList("mail", TaskPageRequest.of()).taskList())
                              .extracting(Task::traceParent)
                              .containsExactly(span));
            });
  }

  /** Makes each text twice as long, and refuses some. */
  private static final class Doubling implements PayloadCodec {

    @Override
    public String seal(Field field, String text) {
      if (text.startsWith("unsealable")) {
        throw new CodecException("no key");
      }
      if (text.startsWith("impossible")) {
        throw new AssertionError("the codec lacks a provider");
      }
      return text + text;
    }

    @Override
    public String open(Field field, String text) {
      return text.substring(text.length() / 2);
    }

    @Override
    public OutputStream sealing(Field field, OutputStream sealed) {
      return sealed;
    }

    @Override
    public InputStream opening(Field field, InputStream sealed) {
      return sealed;
    }
  }

  @Test
  void contextThatIsTooLargeWhenItIsSealedFailsInTheTransaction() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(FlowClientAutoConfiguration.class, OutboxAutoConfiguration.class))
        .withBean(
            FlowClient.class,
            () -> new ForwardingFlowClient(new SealingFlowClient(server, new Doubling())) {})
        .withBean(DataSource.class, OutboxOnH2Test::newDatabase)
        .withPropertyValues("asyncflow.client.outbox.enabled=true")
        .run(
            context -> {
              TransactionTemplate transaction =
                  new TransactionTemplate(
                      new DataSourceTransactionManager(context.getBean(DataSource.class)));
              TransactionalFlowClient flow = context.getBean(TransactionalFlowClient.class);
              NewTask tooLarge = NewTask.of("mail", "send", "ada", "x".repeat(2_049));
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> transaction.execute(status -> flow.create(tooLarge)))
                  .withMessageContaining("sealed: taskContext must be at most 4096 bytes");
              String key =
                  transaction.execute(
                      status -> {
                        flow.create(NewTask.of("mail", "send", "ada", "unsealable".repeat(100)));
                        flow.create(NewTask.of("mail", "send", "ada", "impossible".repeat(100)));
                        return flow.create(NewTask.of("mail", "send", "ada", "x".repeat(2_048)));
                      });
              OutboxTable table = context.getBean(OutboxTable.class);
              await().atMost(PATIENCE).until(() -> table.waiting() == 0);
              assertThat(table.postponed()).as("those that may be sealed later").isEqualTo(2);
              assertThat(server.getTask("mail", key).taskContext()).hasSize(4_096);
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

  /** MetricsIT of flowsvr, which looks at the whole of both files, has no application with one. */
  @ParameterizedTest
  @CsvSource({"asyncflow.json", "alerts.yml"})
  void panelAndAlertsAskForStatesThatThereAre(String file) throws IOException {
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    new OutboxMeters(new OutboxTable(dataSource(), OutboxTable.DEFAULT_NAME)).bindTo(meters);
    Set<String> states =
        meters.get("asyncflow.outbox.tasks").meters().stream()
            .map(gauge -> gauge.getId().getTag("state"))
            .collect(toSet());
    String asked = Files.readString(Path.of("../deploy/helm/asyncflow/monitoring", file));
    assertThat(asked).contains("asyncflow_outbox_tasks");
    Matcher matches =
        Pattern.compile("asyncflow_outbox_tasks\\{state=~?\"([a-z|]+)\"").matcher(asked);
    while (matches.find()) {
      assertThat(states).contains(matches.group(1).split("\\|"));
    }
  }

  @Test
  void applicationThatDoesNotHasNothingOfIt() {
    application.run(
        context ->
            assertThat(context)
                .doesNotHaveBean(TransactionalFlowClient.class)
                .doesNotHaveBean(OutboxRelay.class));
  }

  /** An application without a bean of type FlowClient. */
  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({FlowClientAutoConfiguration.class, OutboxAutoConfiguration.class})
  static class Application {

    @Bean
    DataSource database() {
      return newDatabase();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "initialize-schema=never | The table asyncflow_outbox of the outbox cannot be used"
            + " | initialize-schema=always",
        "table=bad name | asyncflow.client.outbox.table | letters, digits and _",
        "poll-interval=0s | asyncflow.client.outbox.poll-interval is not positive: PT0S | 1ms or more",
        "pollInterval=-5s | asyncflow.client.outbox.poll-interval is not positive: PT-5S | 1ms or more"
      })
  void applicationThatCannotStartSaysWhy(
      String property, String problem, String remedy, CapturedOutput output) {
    assertThatException()
        .isThrownBy(
            () ->
                start(
                    "asyncflow.client.url=http://127.0.0.1:1",
                    "asyncflow.client.outbox." + property));
    assertThat(output)
        .contains("APPLICATION FAILED TO START", problem, remedy)
        .doesNotContain("\tat ");
  }

  @Test
  void outboxWithoutAClientIsToldTheUrl(CapturedOutput output) {
    assertThatException().isThrownBy(OutboxOnH2Test::start);
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "Set asyncflow.client.url")
        .doesNotContain("\tat ");
  }

  private static void start(String... properties) {
    new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .properties("asyncflow.client.outbox.enabled=true")
        .properties(properties)
        .run()
        .close();
  }

  private static OutboxTable tableWithATask(DataSource database) {
    OutboxTable table = new OutboxTable(database, OutboxTable.DEFAULT_NAME);
    table.initialize(InitializeSchema.ALWAYS);
    TransactionalFlowClient flow =
        new TransactionalFlowClient(table, new FakeFlowServer(), CurrentTrace.NONE, () -> {});
    new TransactionTemplate(new DataSourceTransactionManager(database))
        .executeWithoutResult(status -> flow.create(NewTask.of("mail", "send", "ada", "")));
    return table;
  }

  /** Such as a class of a codec that cannot be loaded. */
  @Test
  void errorDoesNotEndTheRelay() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    FlowClient failingOnce =
        new ForwardingFlowClient(server) {
          @Override
          public List<CreateResult> create(List<NewTask> batch) {
            if (failed.getCount() > 0) {
              failed.countDown();
              throw new NoClassDefFoundError("codec");
            }
            return super.create(batch);
          }
        };
    OutboxRelay relay =
        new OutboxRelay(tableWithATask(newDatabase()), failingOnce, Duration.ofDays(1));
    relay.start();
    assertThat(failed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    relay.stop(); // ends the pause, and sends what is left
    assertThat(server.getTaskList("mail", TaskPageRequest.of()).taskList()).hasSize(1);
  }

  /** A stop that lasts longer than 20 s would be cut off, as by Kubernetes after 30 s. */
  @Test
  void stopMakesNoCallAfterOneThatTookMostOfItsTime() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    AtomicReference<OutboxRelay> relay = new AtomicReference<>();
    CountDownLatch sent = new CountDownLatch(1);
    FlowClient silent =
        new ForwardingFlowClient(server) {
          @Override
          public List<CreateResult> create(List<NewTask> batch) {
            calls.incrementAndGet();
            sent.countDown();
            await().atMost(PATIENCE).until(() -> !relay.get().isRunning());
            throw new FlowUnreachableException("did not answer", null);
          }
        };
    relay.set(
        new OutboxRelay(
            tableWithATask(newDatabase()), silent, Duration.ofDays(1), Duration.ofMillis(1)));
    relay.get().start();
    assertThat(sent.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    relay.get().stop();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().equals("asyncflow-outbox")));
    assertThat(calls).hasValue(1);
  }

  /** As an H2 in a file, which closes itself when the process ends. */
  @Test
  void databaseThatEndsBeforeTheRelayIsNoError(CapturedOutput output) throws Exception {
    DataSource database = newDatabase();
    OutboxTable table = tableWithATask(database);
    CountDownLatch sent = new CountDownLatch(1);
    AtomicReference<OutboxRelay> relay = new AtomicReference<>();
    FlowClient ending =
        new ForwardingFlowClient(server) {
          @Override
          public List<CreateResult> create(List<NewTask> batch) {
            new JdbcTemplate(database).execute("SHUTDOWN IMMEDIATELY");
            sent.countDown();
            // The relay would warn of a failure if nothing had told it to stop.
            await().atMost(PATIENCE).until(() -> !relay.get().isRunning());
            return super.create(batch);
          }
        };
    relay.set(new OutboxRelay(table, ending, Duration.ofDays(1)));
    relay.get().start();
    assertThat(sent.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    relay.get().stop();
    assertThat(output)
        .contains("the next start sends what is left")
        .doesNotContain("WARN", "ERROR", "\tat ");
  }
}
