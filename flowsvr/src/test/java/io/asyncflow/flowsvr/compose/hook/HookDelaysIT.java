package io.asyncflow.flowsvr.compose.hook;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.hook.TlsReceiver.Answer;
import io.asyncflow.flowsvr.compose.hook.TlsReceiver.Received;
import io.asyncflow.flowsvr.task.event.log.EventLog;
import io.asyncflow.flowsvr.task.event.log.NewEvent;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.json.JsonMapper;

/** How long events take to their endpoint, with and without a hook whose endpoint hangs. */
@HookServer
@Tag("faults")
class HookDelaysIT {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int EVENTS = 300;
  private static final int PATIENCE = 120;

  @Autowired Given given;
  @Autowired TlsReceiver receiver;
  @Autowired EventLog log;
  @Autowired RetryingTransactions transactions;
  @LocalServerPort int port;
  private Hooks hooks;
  private TaskType type;
  private final String path = "/" + UUID.randomUUID();

  @BeforeEach
  void aType() {
    hooks = new Hooks(new Wire(port));
    type = given.aType().create();
  }

  @AfterEach
  void leaveNoHook() {
    hooks.deleteAll();
  }

  @Test
  void row45_endpointThatHangsDelaysNoOther() {
    aHook(path);
    delays(); // of the first deliveries, which open connections
    List<Long> before = delays();
    String hanging = path + "/hanging";
    receiver.answer(hanging, Answer.never());
    aHook(hanging);
    anEvent();
    anEvent();
    awaitReceived(hanging, HookWorker.SLOTS);
    awaitReceived(path, 2 * EVENTS + 2);
    List<Long> beside = delays();

    System.out.printf(
        Locale.ROOT,
        "row 45: %d events reached their endpoint after %d ms at p50 and %d ms at p99; beside a"
            + " hook that hangs after %d and %d ms, %.2f x at p99%n",
        EVENTS,
        percentile(before, 50),
        percentile(before, 99),
        percentile(beside, 50),
        percentile(beside, 99),
        (double) percentile(beside, 99) / percentile(before, 99));
    // A busy machine takes some seconds for either; the slots that hang are taken for longer.
    assertThat(percentile(beside, 99)).isLessThan(2 * percentile(before, 99) + 3_000);
  }

  private void aHook(String toPath) {
    hooks.save(receiver.url(toPath), ",'taskTypes':['" + type.name() + "']");
  }

  private void anEvent() {
    TaskId task = given.aWaitingTask().ofType(type).create();
    transactions.execute(
        () -> {
          log.add(NewEvent.ofTask(EventKind.FAILED, given.row(task), "no"));
          return null;
        });
  }

  /** The times from so many events to their endpoint, in ms, the shortest first. */
  private List<Long> delays() {
    int earlier = receiver.received(path).size();
    for (int i = 0; i < EVENTS; i++) {
      anEvent();
    }
    awaitReceived(path, earlier + EVENTS);
    return receiver.received(path).stream()
        .skip(earlier)
        .map(HookDelaysIT::delay)
        .sorted()
        .toList();
  }

  private void awaitReceived(String at, int count) {
    await().atMost(PATIENCE, SECONDS).until(() -> receiver.received(at).size() >= count);
  }

  private static long delay(Received request) {
    return request.time() - JSON.readTree(request.body()).path("time").asLong();
  }

  private static long percentile(List<Long> sorted, int percent) {
    return sorted.get((sorted.size() - 1) * percent / 100);
  }
}
