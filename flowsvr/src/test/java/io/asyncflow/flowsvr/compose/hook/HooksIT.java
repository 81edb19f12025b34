package io.asyncflow.flowsvr.compose.hook;

import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.base.system.db.DatabaseClock;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.hook.Hooks.Saved;
import io.asyncflow.flowsvr.compose.hook.TlsReceiver.Answer;
import io.asyncflow.flowsvr.compose.hook.TlsReceiver.Received;
import io.asyncflow.flowsvr.task.event.log.EventLog;
import io.asyncflow.flowsvr.task.event.log.NewEvent;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** From an event to the endpoint, and what happens on the way. */
@HookServer
@Tag("contract")
@ExtendWith(OutputCaptureExtension.class)
class HooksIT {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int PATIENCE = 60;

  @Autowired Given given;
  @Autowired TlsReceiver receiver;
  @Autowired EventLog log;
  @Autowired RetryingTransactions transactions;
  @Autowired JdbcClient jdbc;
  @Autowired DeletedHooks deletedHooks;
  @Autowired ApplicationEventPublisher publisher;
  @LocalServerPort int port;
  private Wire wire;
  private Hooks hooks;
  private TaskType type;
  private final String path = "/" + UUID.randomUUID();

  @BeforeEach
  void aType() {
    wire = new Wire(port);
    hooks = new Hooks(wire);
    type = given.aType().create();
  }

  @AfterEach
  void leaveNoHook() {
    hooks.deleteAll();
  }

  private Saved aHook(String toPath) {
    return hooks.save(receiver.url(toPath), ",'taskTypes':['" + type.name() + "']");
  }

  /** Writes an event of a task; returns the task. */
  private TaskId anEvent() {
    return anEvent(EventKind.FAILED, type);
  }

  private TaskId anEvent(EventKind kind, TaskType ofType) {
    TaskId task = given.aWaitingTask().ofType(ofType).create();
    transactions.execute(
        () -> {
          log.add(NewEvent.ofTask(kind, given.row(task), "no"));
          return null;
        });
    return task;
  }

  private List<Received> awaitReceived(String at, int count) {
    await().atMost(PATIENCE, SECONDS).until(() -> receiver.received(at).size() >= count);
    return receiver.received(at);
  }

  private void awaitDeliveries(Saved hook, int status, int count) {
    await()
        .atMost(PATIENCE, SECONDS)
        .until(
            () ->
                hooks
                        .deliveries(hook)
                        .valueStream()
                        .filter(task -> task.path("status").asInt() == status)
                        .count()
                    == count);
  }

  private void awaitState(Saved hook, String state) {
    await().atMost(PATIENCE, SECONDS).until(() -> hooks.stateOf(hook).equals(state));
  }

  private static void verify(String secret, Received request) throws WebhookVerificationException {
    new Webhook(secret)
        .verify(request.body(), HttpHeaders.of(request.headers(), (name, value) -> true));
  }

  @Test
  void eventIsDeliveredOnceAndTheReferenceLibraryVerifiesIt() throws Exception {
    given.change(type, "events", 1);
    Saved hook = aHook(path);
    TaskId task = given.aWaitingTask().ofType(type).create();
    wire.post("/api/task/cancel", "{'taskId':'" + task + "'}");

    Received request = awaitReceived(path, 1).get(0);
    verify(hook.secret(), request);
    JsonNode event = JSON.readTree(request.body());
    assertThat(event.path("kind").asString()).isEqualTo("CANCELLED");
    assertThat(event.path("taskId").asString()).isEqualTo(task.toString());
    assertThat(request.header("webhook-id")).isEqualTo("evt_" + event.path("id").asString());
    awaitDeliveries(hook, 4, 1);
    assertThat(receiver.received(path)).hasSize(1);
  }

  @Test
  void onlyEventsThatTheHookWantsAreDelivered() {
    Saved hook =
        hooks.save(receiver.url(path), ",'taskTypes':['" + type.name() + "'],'kinds':['success']");
    TaskType other = given.aType().create();
    anEvent(EventKind.SUCCESS, other);
    anEvent(EventKind.FAILED, type);
    TaskId wanted = anEvent(EventKind.SUCCESS, type);

    assertThat(awaitReceived(path, 1).get(0).body()).contains(wanted.toString());
    awaitDeliveries(hook, 4, 1);
    assertThat(receiver.received(path)).hasSize(1);
  }

  @Test
  void failureIsRetriedUnderTheSameId() {
    receiver.answer(path, Answer.of(500).with("Retry-After", "0"), Answer.of(204));
    Saved hook = aHook(path);
    anEvent();

    List<Received> requests = awaitReceived(path, 2);
    assertThat(requests.get(1).header("webhook-id"))
        .isEqualTo(requests.get(0).header("webhook-id"));
    awaitDeliveries(hook, 4, 1);
    assertThat(hooks.listed(hook).path("lastError").asString()).isEqualTo("answered 500");
  }

  @Test
  void redirectToMetadataIsNotFollowed() {
    receiver.answer(
        path,
        new Answer(
            302,
            Map.of("Location", "https://169.254.169.254/latest/meta-data/", "Retry-After", "0"),
            ""),
        Answer.of(200));
    Saved hook = aHook(path);
    anEvent();

    awaitDeliveries(hook, 4, 1);
    assertThat(receiver.received(path)).hasSize(2);
    assertThat(hooks.listed(hook).path("lastError").asString()).isEqualTo("answered 302");
  }

  @Test
  void endpointThatIsGoneDisablesItsHookAndOthersAreTold() {
    String others = path + "/others";
    Saved watching = hooks.save(receiver.url(others), ",'kinds':['HOOK_DISABLED']");
    receiver.answer(path, Answer.of(410));
    Saved hook = aHook(path);
    anEvent();

    awaitState(hook, "DISABLED");
    awaitDeliveries(hook, 8, 1);
    JsonNode event = JSON.readTree(awaitReceived(others, 1).get(0).body());
    assertThat(event.path("kind").asString()).isEqualTo("HOOK_DISABLED");
    assertThat(event.path("taskStage").asString()).isEqualTo("hook-" + hook.id());
    assertThat(hooks.stateOf(watching)).isEqualTo("ACTIVE");
  }

  @Test
  void hookIsDisabledAfterFiveDaysOfNothingButFailures() {
    receiver.answer(path, Answer.of(500));
    Saved hook = aHook(path);
    letFailFor(hook, Duration.ofDays(5).minusMinutes(1));
    hooks.call("test", hook);
    awaitReceived(path, 1);
    await()
        .atMost(PATIENCE, SECONDS)
        .until(() -> !hooks.listed(hook).path("lastError").asString("").isEmpty());
    assertThat(hooks.stateOf(hook)).isEqualTo("ACTIVE");

    letFailFor(hook, Duration.ofDays(5));
    hooks.call("test", hook);
    awaitState(hook, "DISABLED");
  }

  private void letFailFor(Saved hook, Duration time) {
    jdbc.sql(DatabaseClock.sql("UPDATE t_hook SET fail_since = now_ms - :time WHERE id = :id"))
        .param("time", time.toMillis())
        .param("id", hook.id())
        .update();
  }

  @Test
  void whatHappensWhileAHookIsPausedIsDeliveredWhenItGoesOn() {
    Saved hook = aHook(path);
    hooks.save(
        hook.name(), receiver.url(path), ",'state':'PAUSED','taskTypes':['" + type.name() + "']");
    anEvent();
    String other = path + "/other";
    aHook(other);
    TaskId later = anEvent();
    awaitReceived(other, 1);
    assertThat(receiver.received(path)).isEmpty();
    assertThat(wire.post("/api/hook/test", "{'hookId':'" + hook.id() + "'}").code())
        .isEqualTo(8051);

    hooks.save(
        hook.name(), receiver.url(path), ",'state':'ACTIVE','taskTypes':['" + type.name() + "']");
    assertThat(awaitReceived(path, 2)).anyMatch(r -> r.body().contains(later.toString()));
  }

  @Test
  void endpointThatHangsHoldsUpItsOwnDeliveriesAlone() {
    String hanging = path + "/hanging";
    receiver.answer(hanging, Answer.never());
    Saved slow = aHook(hanging);
    Saved fast = aHook(path);
    for (int i = 0; i < 10; i++) {
      anEvent();
    }

    awaitReceived(hanging, HookWorker.SLOTS);
    awaitDeliveries(fast, 4, 10);
    assertThat(receiver.received(path)).hasSize(10);
    assertThat(
            hooks
                .deliveries(slow)
                .valueStream()
                .filter(task -> task.path("status").asInt() == 2)
                .count())
        .isLessThanOrEqualTo(HookWorker.SLOTS);
  }

  /** All attempts of an hour fail; the pauses between them are skipped. */
  @Test
  void afterAnHourOfFailuresEachEventIsDeliveredOnce() {
    int events = 20;
    receiver.answer(path, Answer.of(503));
    Saved hook = aHook(path);
    for (int i = 0; i < events; i++) {
      anEvent();
    }
    for (int attempts = 1; attempts <= 10; attempts++) { // 5 s, 10 s, … 2,560 s
      awaitFailures(hook, attempts, events);
      makeDue(hook);
    }

    int before = receiver.received(path).size();
    receiver.answer(path, Answer.of(200));
    makeDue(hook);
    awaitDeliveries(hook, 4, events);
    List<Received> delivered =
        receiver.received(path).subList(before, receiver.received(path).size());
    assertThat(delivered.stream().collect(groupingBy(r -> r.header("webhook-id")))).hasSize(events);
  }

  private void awaitFailures(Saved hook, int attempts, int count) {
    await()
        .atMost(PATIENCE, SECONDS)
        .until(
            () ->
                hooks
                        .deliveries(hook)
                        .valueStream()
                        .filter(task -> task.path("crtRetryNum").asInt() >= attempts)
                        .count()
                    == count);
  }

  private void makeDue(Saved hook) {
    jdbc.sql("UPDATE t_flow_webhook_task_1 SET order_time = 1 WHERE status = 1 AND task_stage = ?")
        .param("hook-" + hook.id())
        .update();
    publisher.publishEvent(new TasksWaiting(HookTasks.TYPE));
  }

  @Test
  void oldSecretSignsBesideTheNewOneForADay() throws Exception {
    Saved hook = aHook(path);
    String secret = hooks.call("rotate", hook).path("secret").asString();
    // Another server of the same database may deliver it, and learns of the rotation in a second.
    await()
        .atMost(PATIENCE, SECONDS)
        .untilAsserted(
            () -> {
              Received request = deliveredTest(hook);
              assertThatCode(() -> verify(secret, request)).doesNotThrowAnyException();
              verify(hook.secret(), request);
            });
    assertThat(hooks.listed(hook).path("oldSecretEnd").asLong()).isPositive();

    jdbc.sql("UPDATE t_hook SET old_secret_end = 1 WHERE id = ?").param(hook.id()).update();
    await()
        .atMost(PATIENCE, SECONDS)
        .untilAsserted(
            () -> {
              Received last = deliveredTest(hook);
              assertThatCode(() -> verify(secret, last)).doesNotThrowAnyException();
              assertThatThrownBy(() -> verify(hook.secret(), last))
                  .isInstanceOf(WebhookVerificationException.class);
            });
  }

  private Received deliveredTest(Saved hook) {
    int before = receiver.received(path).size();
    hooks.call("test", hook);
    return awaitReceived(path, before + 1).get(before);
  }

  @Test
  void secretIsShownOnceAndNotLogged(CapturedOutput output) {
    receiver.answer(path, Answer.of(410));
    Saved hook = aHook(path);
    String second = hooks.call("rotate", hook).path("secret").asString();
    hooks.call("test", hook);
    awaitState(hook, "DISABLED");
    // Of no other type, whose events would be delivered, too.
    String active = ",'taskTypes':['" + type.name() + "'],'state':'ACTIVE'";
    String saved = hooks.save(hook.name(), receiver.url(path), active).http().body();
    awaitDeliveries(hook, 8, 1);

    String all =
        saved
            + wire.get("/api/hook/list").http().body()
            + hooks.deliveries(hook)
            + jdbc.sql("SELECT GROUP_CONCAT(detail) FROM t_act").query(String.class).single()
            + output.getAll();
    assertThat(all).contains(hook.name());
    for (String secret : List.of(hook.secret(), second)) {
      assertThat(secret).startsWith("whsec_");
      assertThat(all).doesNotContain(secret.substring("whsec_".length()));
    }
  }

  @Test
  void deliveriesOfADeletedHookFailAndItsNameIsFree() {
    receiver.answer(path, Answer.of(503));
    Saved hook = aHook(path);
    anEvent();
    anEvent();
    awaitFailures(hook, 1, 2);
    hooks.call("delete", hook);
    assertThat(wire.post("/api/hook/rotate", "{'hookId':'" + hook.id() + "'}").code())
        .isEqualTo(8039);
    assertThat(wire.post("/api/hook/rotate", "{'name':'" + hook.name() + "'}").code())
        .isEqualTo(8039);
    assertThat(hooks.save(hook.name(), receiver.url(path), "").result().path("hookId").asString())
        .isNotEqualTo(hook.id());
    makeDue(hook);
    awaitDeliveries(hook, 8, 2);

    deletedHooks.runOnce();
    assertThat(
            jdbc.sql("SELECT COUNT(*) FROM t_hook WHERE id = ?")
                .param(hook.id())
                .query(Integer.class)
                .single())
        .isZero();
  }
}
