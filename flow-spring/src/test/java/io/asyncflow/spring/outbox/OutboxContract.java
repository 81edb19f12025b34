package io.asyncflow.spring.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.asyncflow.api.CreateResult;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.codec.CodecException;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.spring.CurrentTrace;
import io.asyncflow.spring.outbox.OutboxProperties.InitializeSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** What holds on each database. */
abstract class OutboxContract {

  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final DataSource database = dataSource();
  private final JdbcTemplate jdbc = new JdbcTemplate(database);
  private final TransactionTemplate transaction =
      new TransactionTemplate(new DataSourceTransactionManager(database));
  private final FakeFlowServer server = new FakeFlowServer().withType("mail");
  private final AtomicInteger wakeUps = new AtomicInteger();
  private final OutboxTable table = new OutboxTable(database, OutboxTable.DEFAULT_NAME);
  private final OutboxRelay relay = new OutboxRelay(table, server, NEVER);
  private final TransactionalFlowClient flow =
      new TransactionalFlowClient(table, server, CurrentTrace.NONE, wakeUps::incrementAndGet);

  /** An empty database, the same at each call of one test. */
  abstract DataSource dataSource();

  @BeforeEach
  void createTable() {
    jdbc.execute("DROP TABLE IF EXISTS asyncflow_outbox");
    assertThatIllegalStateException()
        .isThrownBy(table::requireUsable)
        .withMessageContaining("initialize-schema=always");
    table.initialize(InitializeSchema.ALWAYS);
    table.initialize(InitializeSchema.ALWAYS);
    table.requireUsable();
  }

  private static NewTask mail(String context) {
    return NewTask.of("mail", "send", "ada", context);
  }

  private int rows() {
    return jdbc.queryForObject("SELECT COUNT(*) FROM asyncflow_outbox", Integer.class);
  }

  private List<Task> created() {
    return server.getTaskList("mail", TaskPageRequest.of().withLimit(1_000)).taskList();
  }

  @Test
  void commitCreatesTheTask() {
    String context = "{\"to\":\"Zoë \uD83D\uDE00\",\"n\":\"'\\\\\"}";
    String key = transaction.execute(status -> flow.create(mail(context).withPriority(7)));
    assertThat(wakeUps).hasValue(1);
    assertThat(created()).isEmpty();

    assertThat(relay.sendOnce()).isEqualTo(1);
    Task task = server.getTask("mail", key);
    assertThat(task.taskContext()).isEqualTo(context);
    assertThat(task.priority()).isEqualTo(7);
    assertThat(rows()).isZero();
    assertThat(relay.sendOnce()).isZero();
  }

  @Test
  void rollbackCreatesNone() {
    transaction.executeWithoutResult(
        status -> {
          flow.create(mail("{}"));
          status.setRollbackOnly();
        });
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      flow.create(mail("{}"));
                      throw new UnsupportedOperationException();
                    }));
    assertThat(rows()).isZero();
    assertThat(wakeUps).hasValue(0);
  }

  @Test
  void createOutsideOfATransactionIsRefused() {
    assertThatIllegalStateException().isThrownBy(() -> flow.create(mail("{}")));
    TransactionTemplate other =
        new TransactionTemplate(
            new DataSourceTransactionManager(
                new DriverManagerDataSource("jdbc:h2:mem:other;DB_CLOSE_DELAY=-1")));
    assertThatIllegalStateException()
        .isThrownBy(() -> other.executeWithoutResult(status -> flow.create(mail("{}"))))
        .withMessageContaining("asyncflow_outbox");
    assertThat(rows()).isZero();
  }

  /** As with {@code spring.datasource.hikari.auto-commit=false}. */
  @Test
  void transactionOfAnotherDatabaseIsRefusedWhereNoConnectionCommitsByItself() {
    DataSource pool =
        new DelegatingDataSource(database) {
          @Override
          public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            connection.setAutoCommit(false);
            return connection;
          }
        };
    OutboxTable itsTable = new OutboxTable(pool, OutboxTable.DEFAULT_NAME);
    itsTable.requireUsable();
    TransactionalFlowClient itsFlow =
        new TransactionalFlowClient(itsTable, server, CurrentTrace.NONE, () -> {});
    TransactionTemplate other =
        new TransactionTemplate(
            new DataSourceTransactionManager(
                new DriverManagerDataSource("jdbc:h2:mem:other;DB_CLOSE_DELAY=-1")));
    assertThatIllegalStateException()
        .isThrownBy(() -> other.executeWithoutResult(status -> itsFlow.create(mail("{}"))));
    new TransactionTemplate(new DataSourceTransactionManager(pool))
        .executeWithoutResult(status -> itsFlow.create(mail("{}")));
    assertThat(rows()).isEqualTo(1);
  }

  /** Refuses what it is told to; counts the calls. */
  private final class Refusing extends ForwardingFlowClient {

    private final Function<List<NewTask>, RuntimeException> refusal;
    private int calls;

    Refusing(Function<List<NewTask>, RuntimeException> refusal) {
      super(server);
      this.refusal = refusal;
    }

    private void refuse(List<NewTask> tasks) {
      calls++;
      RuntimeException refused = refusal.apply(tasks);
      if (refused != null) {
        throw refused;
      }
    }

    @Override
    public List<CreateResult> create(List<NewTask> batch) {
      refuse(batch);
      return super.create(batch);
    }

    @Override
    public CreateResult create(NewTask task) {
      refuse(List.of(task));
      return super.create(task);
    }
  }

  @Test
  void limitOfAllPausesTheRelayAndThatOfAUserDoesNot() {
    transaction.executeWithoutResult(
        status ->
            IntStream.range(0, 40)
                .forEach(i -> flow.create(NewTask.of("mail", "send", "user-" + i % 4, "" + i))));
    FlowException full = new FlowException(ErrorCode.LIMIT_EXCEEDED, "too many");
    Refusing all = new Refusing(tasks -> full);
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> new OutboxRelay(table, all, NEVER).sendOnce());
    assertThat(all.calls).isEqualTo(4);

    jdbc.update("UPDATE asyncflow_outbox SET due_ms = 0 WHERE due_ms > 0");
    Refusing one =
        new Refusing(
            tasks -> tasks.stream().anyMatch(task -> task.userId().equals("user-1")) ? full : null);
    assertThat(new OutboxRelay(table, one, NEVER).sendOnce()).isEqualTo(40);
    assertThat(created()).hasSize(30);
    assertThat(one.calls).as("one for all, 30, and one of the user").isEqualTo(32);
    assertThat(table.postponed()).isEqualTo(10);
  }

  /** Such as a firewall that finds one of them dangerous. */
  @Test
  void taskThatSomethingBetweenRefusesIsLeftBehindAfterSomeTries() {
    transaction.executeWithoutResult(
        status -> flow.create(List.of(mail("<script>"), mail("1"), mail("2"), mail("impossible"))));
    Refusing firewall =
        new Refusing(
            tasks -> {
              if (tasks.stream().anyMatch(task -> task.taskContext().contains("<"))) {
                return new FlowUnreachableException("that is no answer of flowsvr", null);
              }
              tasks.forEach(OutboxContract::requireSealable);
              return null;
            });
    OutboxRelay behind = new OutboxRelay(table, firewall, NEVER);
    for (int i = 0; i < 5; i++) {
      assertThatExceptionOfType(FlowException.class).isThrownBy(behind::sendOnce);
    }
    assertThat(behind.sendOnce()).isEqualTo(4);
    assertThat(created()).extracting(Task::taskContext).containsExactlyInAnyOrder("1", "2");
    assertThat(states()).containsExactly(0L, 2L, 0L);

    Refusing away = new Refusing(tasks -> new FlowUnreachableException("away", null));
    transaction.executeWithoutResult(status -> flow.create(List.of(mail("3"), mail("4"))));
    OutboxRelay alone = new OutboxRelay(table, away, NEVER);
    for (int i = 0; i < 8; i++) {
      assertThatExceptionOfType(FlowException.class).isThrownBy(alone::sendOnce);
    }
    assertThat(table.waiting()).as("nobody answers").isEqualTo(2);
  }

  @Test
  void taskThatIsCertainToBeRefusedFailsInTheTransaction() {
    for (NewTask task :
        List.of(
            mail("x".repeat(4_097)),
            mail("\0"),
            NewTask.of("mail", null, "ada", ""),
            NewTask.of("mail", "s".repeat(65), "ada", ""),
            NewTask.of(" ", "send", "ada", ""),
            NewTask.of("e-mail", "send", "ada", ""),
            NewTask.of("flow_mail", "send", "ada", ""),
            NewTask.of("mail", "send", null, ""),
            NewTask.of("mail", "send", "a".repeat(129), ""),
            mail("").withPriority(-1),
            mail("").withPriority(31_536_001),
            mail("").withDelayMs(-1),
            mail("").withRunAt(1_700_000_000),
            mail("").withMaxRetryNum(-1),
            mail("").withKeyMs(999),
            mail("").withWorkerIds(List.of()),
            mail("").withIdempotencyKey(""),
            mail("").withIdempotencyKey("k".repeat(129)),
            mail("").withIdempotencyKey("Schl\u00fcssel"))) {
      assertThatIllegalArgumentException()
          .as(task.toString())
          .isThrownBy(() -> transaction.execute(status -> flow.create(task)))
          .havingCause()
          .isInstanceOfSatisfying(
              FlowException.class,
              refusal ->
                  assertThat(refusal.errorCode())
                      .isIn(ErrorCode.INVALID_INPUT, ErrorCode.TOO_LARGE));
    }
    for (NewTask task :
        List.of(
            mail("").withIdempotencyKey("k").withOnDuplicate(OnDuplicate.RERUN),
            mail("").withIdempotencyKey("k").withOnDuplicate(OnDuplicate.REPLACE),
            mail("").withIdempotencyKey("k").withKeyUntilDone())) {
      assertThatIllegalArgumentException()
          .as(task.toString())
          .isThrownBy(() -> transaction.execute(status -> flow.create(task)))
          .withMessageContaining("repeated");
    }
    List<NewTask> secondIsWrong = List.of(mail(""), mail("").withPriority(-1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> transaction.execute(status -> flow.create(secondIsWrong)))
        .withMessageContaining("tasks[1].priority must be between 0 and 31536000");
    assertThat(rows()).isZero();
  }

  @Test
  void taskAtTheLimitsIsCreated() {
    NewTask largest =
        NewTask.of("mail", "s".repeat(64), "a".repeat(128), "x".repeat(4_096))
            .withPriority(31_536_000)
            .withRunAt(System.currentTimeMillis())
            .withIdempotencyKey("k".repeat(128));
    transaction.executeWithoutResult(
        status -> {
          flow.create(List.of());
          flow.create(largest);
          flow.create(mail("with a new key").withKeyMs(1_000));
        });
    assertThat(relay.sendOnce()).isEqualTo(2);
    assertThat(created()).hasSize(2);
  }

  @Test
  void tasksAreSentInTheirOrderABatchAtATime() {
    List<NewTask> tasks = IntStream.range(0, 250).mapToObj(i -> mail("" + i)).toList();
    transaction.executeWithoutResult(status -> flow.create(tasks.subList(0, 130)));
    transaction.executeWithoutResult(status -> tasks.subList(130, 250).forEach(flow::create));
    assertThat(wakeUps).as("once a transaction").hasValue(2);
    List<List<NewTask>> calls = new ArrayList<>();
    OutboxRelay recorded = new OutboxRelay(table, recording(calls::add), NEVER);
    for (int sent = recorded.sendOnce(); sent > 0; sent = recorded.sendOnce()) {
      // until there is none left
    }
    assertThat(calls).extracting(List::size).containsExactly(100, 100, 50);
    assertThat(calls.stream().flatMap(List::stream).map(NewTask::taskContext))
        .containsExactlyElementsOf(tasks.stream().map(NewTask::taskContext).toList());
  }

  @Test
  void taskKeepsTheTraceOfTheSpanThatCreatedIt() {
    List<List<NewTask>> calls = new ArrayList<>();
    OutboxRelay sending = new OutboxRelay(table, recording(calls::add), NEVER);
    Map<String, String> spans = new HashMap<>();
    for (String span : Arrays.asList(null, span(1), null, span(2), "no traceparent")) {
      TransactionalFlowClient client =
          new TransactionalFlowClient(table, server, () -> span, () -> {});
      transaction
          .execute(
              status ->
                  client.create(
                      List.of(
                          mail("1"),
                          mail("2").withTraceParent(span(3)),
                          mail("3").withTraceParent("no traceparent"))))
          .forEach(key -> spans.put(key, null));
    }
    assertThat(sending.sendOnce()).isEqualTo(15);
    assertThat(calls).as("one call for all spans").hasSize(1);
    assertThat(calls.get(0)).extracting(NewTask::idempotencyKey).hasSameElementsAs(spans.keySet());
    assertThat(created())
        .extracting(Task::traceParent)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(null, null, null, span(1), span(2))
                .flatMap(ofTheCall -> Stream.of(ofTheCall, span(3), ofTheCall))
                .toList());
  }

  private static String span(int number) {
    return "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333%s-01".formatted(number);
  }

  @Test
  void taskWhoseAnswerIsLostIsCreatedOnce() {
    transaction.executeWithoutResult(status -> flow.create(List.of(mail("1"), mail("2"))));
    server.swallowAnswers(1);
    assertThatExceptionOfType(FlowUnreachableException.class).isThrownBy(relay::sendOnce);
    assertThat(created()).hasSize(2);
    assertThat(rows()).isEqualTo(2);
    assertThat(relay.sendOnce()).isEqualTo(2);
    assertThat(created()).hasSize(2);
    assertThat(rows()).isZero();
  }

  @Test
  void refusedTaskDoesNotKeepTheOthersBack() {
    transaction.executeWithoutResult(
        status -> {
          flow.create(mail("first").withIdempotencyKey("k"));
          flow.create(mail("another").withIdempotencyKey("k"));
          flow.create(NewTask.of("later", "send", "ada", ""));
          flow.create(mail("last"));
        });
    assertThat(states()).containsExactly(4L, 0L, 0L);
    long before = System.currentTimeMillis();
    relay.sendOnce();
    assertThat(created()).extracting(Task::taskContext).containsExactlyInAnyOrder("first", "last");
    assertThat(states()).containsExactly(0L, 1L, 1L);
    assertThat(
            jdbc.queryForObject(
                "SELECT due_ms FROM asyncflow_outbox WHERE attempts = 1 AND due_ms < ?",
                Long.class,
                Long.MAX_VALUE))
        .as("not due for a second")
        .isGreaterThanOrEqualTo(before + 1_000);
    assertThat(
            jdbc.queryForList(
                "SELECT refusal FROM asyncflow_outbox WHERE due_ms = ?",
                String.class,
                Long.MAX_VALUE))
        .singleElement()
        .asString()
        .startsWith("8052 ");

    server.withType("later");
    jdbc.update(
        "UPDATE asyncflow_outbox SET due_ms = 1 WHERE attempts = 1 AND due_ms < ?", Long.MAX_VALUE);
    assertThat(relay.sendOnce()).isEqualTo(1);
    assertThat(server.getTaskList("later", TaskPageRequest.of()).taskList()).hasSize(1);
  }

  /** Waiting, postponed and refused. */
  private List<Long> states() {
    return List.of(table.waiting(), table.postponed(), table.refused());
  }

  /** As one instance of an application that is being upgraded meets it. */
  @Test
  void taskOfANewerVersionIsLeftToIt() {
    transaction.executeWithoutResult(status -> flow.create(mail("last")));
    jdbc.update(
        "INSERT INTO asyncflow_outbox (due_ms, id, task) VALUES (0, 'x', ?)",
        "{\"userId\":\"ada\",\"taskType\":\"mail\",\"taskStage\":\"send\",\"soul\":1}");
    relay.sendOnce();
    assertThat(created()).extracting(Task::taskContext).containsExactly("last");
    assertThat(states()).containsExactly(0L, 1L, 0L);
  }

  /** Such as a codec that cannot seal one of them. */
  @ParameterizedTest
  @CsvSource({
    "unsealable, CodecException: the text cannot be sealed: ?", // in any character set
    "endless, StackOverflowError",
    "impossible, AssertionError: the codec lacks a provider"
  })
  void taskThatTheClientCannotSendDoesNotKeepTheOthersBack(String text, String refusal) {
    transaction.executeWithoutResult(
        status -> flow.create(List.of(mail("1"), mail(text), mail("2"))));
    OutboxRelay sealing =
        new OutboxRelay(
            table,
            new ForwardingFlowClient(server) {
              @Override
              public List<CreateResult> create(List<NewTask> batch) {
                batch.forEach(task -> requireSealable(task));
                return super.create(batch);
              }

              @Override
              public CreateResult create(NewTask task) {
                requireSealable(task);
                return super.create(task);
              }
            },
            NEVER);
    assertThat(sealing.sendOnce()).isEqualTo(3);
    assertThat(created()).extracting(Task::taskContext).containsExactlyInAnyOrder("1", "2");
    assertThat(states()).containsExactly(0L, 1L, 0L);
    assertThat(jdbc.queryForObject("SELECT refusal FROM asyncflow_outbox", String.class))
        .endsWith(refusal);
  }

  private static void requireSealable(NewTask task) {
    if (task.taskContext().equals("unsealable")) {
      throw new CodecException("the text cannot be sealed: é", null);
    }
    if (task.taskContext().equals("endless")) {
      throw new StackOverflowError();
    }
    if (task.taskContext().equals("impossible")) {
      throw new AssertionError("the codec lacks a provider");
    }
  }

  @Test
  void applicationsThatShareADatabaseHaveATableEach() {
    jdbc.execute("DROP TABLE IF EXISTS orders_outbox");
    OutboxTable orders = new OutboxTable(database, "orders_outbox");
    orders.initialize(InitializeSchema.ALWAYS);
    orders.requireUsable();
    TransactionalFlowClient itsClient =
        new TransactionalFlowClient(orders, server, CurrentTrace.NONE, () -> {});
    transaction.executeWithoutResult(status -> itsClient.create(mail("1")));
    assertThat(relay.sendOnce()).isZero();
    assertThat(new OutboxRelay(orders, server, NEVER).sendOnce()).isEqualTo(1);
    assertThat(orders.waiting()).isZero();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new OutboxTable(database, "orders; DROP TABLE orders"));
  }

  @Test
  void clientThatMayNotCreateLeavesAllTasksWhereTheyAre() {
    transaction.executeWithoutResult(status -> flow.create(mail("1")));
    OutboxRelay refused =
        new OutboxRelay(
            table,
            new ForwardingFlowClient(server) {
              @Override
              public List<CreateResult> create(List<NewTask> batch) {
                throw new FlowException(ErrorCode.VERB_MISSING, "CREATE is missing");
              }
            },
            NEVER);
    assertThatExceptionOfType(FlowException.class).isThrownBy(refused::sendOnce);
    assertThat(relay.sendOnce()).isEqualTo(1);
  }

  @Test
  void instancesShareTheTableAndSendEachTaskOnce() {
    transaction.executeWithoutResult(
        status -> flow.create(IntStream.range(0, 150).mapToObj(i -> mail("" + i)).toList()));
    List<NewTask> sent = new CopyOnWriteArrayList<>();
    AtomicInteger sentByTheOther = new AtomicInteger();
    OutboxTable itsTable = new OutboxTable(database, OutboxTable.DEFAULT_NAME);
    OutboxRelay other = new OutboxRelay(itsTable, recording(sent::addAll), NEVER);
    OutboxRelay one =
        new OutboxRelay(
            table,
            new ForwardingFlowClient(recording(sent::addAll)) {
              @Override
              public List<CreateResult> create(List<NewTask> batch) {
                // While this one has its claim.
                sentByTheOther.set(meanwhile(other::sendOnce));
                return super.create(batch);
              }
            },
            NEVER);
    assertThat(one.sendOnce()).isEqualTo(100);
    assertThat(sentByTheOther).hasValue(leftBesideAClaimOf100());
    other.sendOnce();
    assertThat(sent).hasSize(150).doesNotHaveDuplicates();
    assertThat(rows()).isZero();
  }

  /** How many of 150 rows are free while 100 are claimed. */
  int leftBesideAClaimOf100() {
    return 50;
  }

  private FlowClient recording(Consumer<List<NewTask>> calls) {
    return new ForwardingFlowClient(server) {
      @Override
      public List<CreateResult> create(List<NewTask> batch) {
        calls.accept(batch);
        return super.create(batch);
      }
    };
  }

  /** What another thread gets, which must not wait for this one. */
  private static <T> T meanwhile(Callable<T> act) {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      return thread.submit(act).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException("the other thread waits", e);
    } finally {
      thread.shutdownNow();
    }
  }

  /** With gap locks a commit would wait for the call. */
  @Test
  void commitDoesNotWaitForTheCallOfTheRelay() {
    transaction.executeWithoutResult(status -> flow.create(mail("1")));
    OutboxRelay calling =
        new OutboxRelay(
            table,
            new ForwardingFlowClient(server) {
              @Override
              public List<CreateResult> create(List<NewTask> batch) {
                meanwhile(() -> transaction.execute(status -> flow.create(mail("2"))));
                return super.create(batch);
              }
            },
            NEVER);
    assertThat(calling.sendOnce()).isEqualTo(1);
    assertThat(rows()).isEqualTo(1);
  }

  @Test
  void relaySendsAtOnceAndAfterAnOutage() {
    OutboxRelay running = new OutboxRelay(table, server, NEVER);
    TransactionalFlowClient client =
        new TransactionalFlowClient(table, server, CurrentTrace.NONE, running::wakeUp);
    running.start();
    try {
      transaction.executeWithoutResult(status -> client.create(mail("1")));
      Awaitility.await().atMost(PATIENCE).until(() -> rows() == 0);
      server.setDown(true);
      transaction.executeWithoutResult(status -> client.create(mail("2")));
      server.setDown(false);
      Awaitility.await().atMost(PATIENCE).until(() -> rows() == 0);
    } finally {
      running.stop();
    }
    assertThat(created()).hasSize(2);
    assertThat(running.isRunning()).isFalse();
  }

  /** As of a program that creates tasks and ends. */
  @Test
  void stopSendsWhatIsLeft() {
    OutboxRelay running = new OutboxRelay(table, server, NEVER);
    running.start();
    transaction.executeWithoutResult(
        status -> flow.create(IntStream.range(0, 250).mapToObj(i -> mail("" + i)).toList()));
    running.stop();
    assertThat(rows()).isZero();
    assertThat(created()).hasSize(250);
  }
}
