package io.asyncflow.flowsvr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.flowsvr.RunningServer;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * The same wrong calls to a server and to the fake: both refuse them with the same code, the same
 * words and the same fields, so that what passes a test of an application is not refused later.
 * {@link FakeContractTest} sends right ones.
 */
@RunningServer
class RefusedInputIT {

  private static final String TYPE = "refused";
  private static final NewTask TASK = NewTask.of(TYPE, "one", "me", "");

  private static final int CONTEXT_BYTES = 4_096;

  @LocalServerPort int port;

  private FlowClient server;
  private final FlowClient fake = new FakeFlowServer().withType(TYPE);

  @BeforeEach
  void connect() {
    server = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null);
    server.saveTaskType(TaskTypeSettings.named(TYPE));
  }

  /** What a client is told; {@code refused} is {@code false} if the call was accepted. */
  private record Told(boolean refused, int code, String message, List<FieldError> errors) {}

  private static Told told(FlowClient client, Consumer<FlowClient> call) {
    try {
      call.accept(client);
      return new Told(false, 0, null, List.of());
    } catch (FlowException e) {
      return new Told(true, e.errorCode().code(), e.getMessage(), e.errors());
    }
  }

  private static Arguments call(String what, Consumer<FlowClient> call) {
    return Arguments.of(what, call);
  }

  private static Arguments create(String what, NewTask task) {
    return call("a task with " + what, client -> client.create(task));
  }

  private static NewTask task(String user, String type, String stage) {
    return NewTask.of(type, stage, user, "");
  }

  static Stream<Arguments> wrongTasks() {
    return Stream.of(
        create("no fields", task(null, null, null)),
        create("no user", task(null, TYPE, "one")),
        create("an empty user", task("", TYPE, "one")),
        create("a user of 129", task("u".repeat(129), TYPE, "one")),
        create("NUL in its user", task("a\0b", TYPE, "one")),
        create("a control character in its user", task("a\nb", TYPE, "one")),
        create("half a character in its user", task("a\ud800", TYPE, "one")),
        create("blanks around its user", task(" me ", TYPE, "one")),
        create("no stage", task("me", TYPE, null)),
        create("an empty stage", task("me", TYPE, "")),
        create("a stage of 65", task("me", TYPE, "s".repeat(65))),
        create("no type", task("me", null, "one")),
        create("an empty type", task("me", "", "one")),
        create("no name as its type", task("me", "no such type!", "one")),
        create("a table as its type", task("me", "x_task", "one")),
        create("a type of 32", task("me", "t".repeat(32), "one")),
        create("a type of the server", task("me", "flow_x", "one")),
        create("an unknown type", task("me", "nowhere", "one")),
        create("a context too large", TASK.withTaskContext("x".repeat(CONTEXT_BYTES + 1))),
        create("a context of too many bytes", TASK.withTaskContext("ü".repeat(2_049))),
        create(
            "a context too large and no user",
            task(null, TYPE, "one").withTaskContext("x".repeat(CONTEXT_BYTES + 1))),
        create("a priority of -1", TASK.withPriority(-1)),
        create("too high a priority", TASK.withPriority(31_536_001)),
        create("a delay of -1", TASK.withDelayMs(-1)),
        create("a delay of eleven years", TASK.withDelayMs(346_896_000_000L)),
        create("a time in seconds", TASK.withRunAt(1_900_000_000L)),
        create(
            "a delay and a time",
            new NewTask(
                "me", TYPE, "one", null, "", null, 1L, 1_900_000_000_000L, null, null, null)),
        create("retries of -1", TASK.withMaxUnexpectedRetries(-1)),
        create("an empty key", TASK.withIdempotencyKey("")),
        create("a key of 129", TASK.withIdempotencyKey("k".repeat(129))),
        create("a key that is not ASCII", TASK.withIdempotencyKey("é")),
        create("options without a key", TASK.withOnDuplicate(OnDuplicate.KEEP)),
        create("no workers", TASK.withWorkerIds(List.of())),
        create("a worker without a name", TASK.withWorkerIds(List.of(""))),
        create("a worker of 65", TASK.withWorkerIds(List.of("w".repeat(65)))),
        create("65 workers", TASK.withWorkerIds(names(65))));
  }

  private static List<String> names(int count) {
    return IntStream.range(0, count).mapToObj(i -> "w" + i).toList();
  }

  static Stream<Arguments> wrongCalls() {
    return Stream.of(
        call("no creates", client -> client.create(List.of())),
        call("1,001 creates", client -> client.create(Collections.nCopies(1_001, TASK))),
        call(
            "a wrong create among right ones",
            client -> client.create(List.of(TASK, task("", TYPE, "one"), TASK))),
        call(
            "many wrong creates",
            client -> client.create(Collections.nCopies(200, task("", TYPE, "one")))),
        call(
            "creates for 101 sets of workers",
            client ->
                client.create(
                    names(101).stream().map(w -> TASK.withWorkerIds(List.of(w))).toList())),
        call("no id of a task", client -> client.getTask("no id")),
        call("no task", client -> client.getTask("1_" + TYPE + "_task_1")),
        call("a cancel of no id", client -> client.cancelTask("no id")),
        call("a list of no type", client -> client.getTaskList(null, TaskPageRequest.of())),
        call("a list of no name", client -> client.getTaskList("x y", TaskPageRequest.of())),
        call("a list of an unknown type", client -> client.getTaskList("no", TaskPageRequest.of())),
        list("a page of 0", TaskPageRequest.of().withLimit(0)),
        list("a page of 1,001", TaskPageRequest.of().withLimit(1_001)),
        list("no cursor", TaskPageRequest.of().withCursor("bad")),
        list("a cursor of 0", TaskPageRequest.of().withCursor("0")),
        list("a cursor of 20 digits", TaskPageRequest.of().withCursor("9".repeat(20))),
        list("a cursor of 19 nines", TaskPageRequest.of().withCursor("9".repeat(19))),
        list("a long cursor", TaskPageRequest.of().withCursor("c".repeat(65))),
        call("a list of no user", client -> client.getUserTaskList(null, TaskPageRequest.of())),
        call(
            "a list of a long user",
            client -> client.getUserTaskList("u".repeat(129), TaskPageRequest.of())),
        call(
            "a user's page of 0",
            client -> client.getUserTaskList("me", TaskPageRequest.of().withLimit(0))),
        call("a key of no type", client -> client.getTask("x y", "key")),
        call("a long key", client -> client.getTask(TYPE, "k".repeat(129))),
        save("no name", null),
        save("no name of a type", "no such type!"),
        save("a name like a table", "x_task"),
        save("a name of 32", "t".repeat(32)),
        save("a name of the server", "flow_x"),
        hold("no type", null),
        hold("no name", "x y"),
        hold("a type of the server", "flow_x"),
        hold("an unknown type", "nowhere"));
  }

  private static Arguments list(String what, TaskPageRequest request) {
    return call("a list with " + what, client -> client.getTaskList(TYPE, request));
  }

  private static Arguments save(String what, String name) {
    return call("a type with " + what, c -> c.saveTaskType(TaskTypeSettings.named(name)));
  }

  private static Arguments hold(String what, String type) {
    return call(
        "a hold of " + what,
        client -> client.hold(new HoldRequest(type, 1, "worker", 0, null, null)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"wrongTasks", "wrongCalls"})
  void fakeRefusesWhatTheServerRefuses(String what, Consumer<FlowClient> call) {
    Told byServer = told(server, call);
    assertThat(byServer.refused()).as("the server refuses it").isTrue();
    Told byFake = told(fake, call);
    if (byServer.code() == ErrorCode.NO_SUCH_TASK_TYPE.code()) {
      assertThat(byFake.code()).isEqualTo(byServer.code()); // each says how one is added to it
    } else {
      assertThat(byFake).isEqualTo(byServer);
    }
  }

  static Stream<Arguments> rightCalls() {
    return Stream.of(
        create("a user of 128", task("u".repeat(128), TYPE, "one")),
        create("a user of 128 pairs", task("😀".repeat(128), TYPE, "one")),
        create("a stage of 64", task("me", TYPE, "s".repeat(64))),
        create("a type in capitals", task("me", "ReFused", "one")),
        create("the largest context", TASK.withTaskContext("x".repeat(CONTEXT_BYTES))),
        create("no context", TASK.withTaskContext(null)),
        create("the highest priority", TASK.withPriority(31_536_000)),
        create("a key of 128", TASK.withIdempotencyKey("k".repeat(128))),
        create("64 workers", TASK.withWorkerIds(names(64))),
        call("1,000 creates", client -> client.create(Collections.nCopies(1_000, TASK))),
        list("a page of 1,000", TaskPageRequest.of().withLimit(1_000)),
        list("an empty cursor", TaskPageRequest.of().withCursor("")),
        list("a cursor of a task that is gone", TaskPageRequest.of().withCursor("1")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rightCalls")
  void fakeAcceptsWhatTheServerAccepts(String what, Consumer<FlowClient> call) {
    assertThat(told(server, call)).isEqualTo(new Told(false, 0, null, List.of()));
    assertThat(told(fake, call)).isEqualTo(new Told(false, 0, null, List.of()));
  }

  static Stream<Report> wrongReports() {
    Report success = Report.of("1_" + TYPE + "_task_1", "worker", 1, Outcome.SUCCESS);
    Report next = Report.of("1_" + TYPE + "_task_1", "worker", 1, Outcome.NEXT_STAGE);
    return Stream.of(
        success,
        success.withResult("x".repeat(CONTEXT_BYTES + 1)),
        success.withCreates(List.of(TASK, task("", TYPE, "one"))),
        success.withCreates(List.of(TASK.withTaskContext("x".repeat(CONTEXT_BYTES + 1)))),
        success.withCreates(Collections.nCopies(101, TASK)),
        next,
        next.withNext("s".repeat(65), null, null),
        next.withNext("two", "x".repeat(CONTEXT_BYTES + 1), null),
        next.withNext("two", null, -1));
  }

  @ParameterizedTest
  @MethodSource("wrongReports")
  void fakeRefusesTheReportsThatTheServerRefuses(Report report) {
    ReportResult byServer = server.report(List.of(report)).get(0);
    ReportResult byFake = fake.report(List.of(report)).get(0);
    assertThat(byServer.stands()).isFalse();
    assertThat(byFake.code()).isEqualTo(byServer.code());
  }

  @Test
  void fakeRefusesAScheduleOfAWrongTask() {
    Consumer<FlowClient> save =
        client ->
            client
                .schedules()
                .save(
                    NewSchedule.every("refused", Duration.ofHours(1))
                        .creating(task("u".repeat(129), TYPE, "one")));
    Told byServer = told(server, save);
    assertThat(byServer.refused()).isTrue();
    assertThat(told(fake, save).code()).isEqualTo(byServer.code());
  }
}
