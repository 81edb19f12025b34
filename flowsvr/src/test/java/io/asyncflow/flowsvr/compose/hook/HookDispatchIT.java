package io.asyncflow.flowsvr.compose.hook;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.spy;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.hook.Hooks.Saved;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.task.event.EventTail;
import io.asyncflow.flowsvr.task.event.log.EventLog;
import io.asyncflow.flowsvr.task.event.log.EventStore;
import io.asyncflow.flowsvr.task.event.log.NewEvent;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** One delivery an event, however many dispatches there are, and wherever one of them ends. */
@HookServer
@Tag("contract")
class HookDispatchIT {

  private static final int EVENTS = 1_200; // three pages
  private static final int PATIENCE = 60;

  @Autowired Given given;
  @Autowired HookDispatch dispatch;
  @Autowired HookStore store;
  @Autowired EventTail tail;
  @Autowired EventStore events;
  @Autowired Node node;
  @Autowired TaskCreator creator;
  @Autowired EventLog log;
  @Autowired RetryingTransactions transactions;
  @Autowired TlsReceiver receiver;
  @Autowired TaskFamilies families;
  @Autowired JdbcClient jdbc;
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

  private Saved aHook() {
    return hooks.save(receiver.url(path), ",'taskTypes':['" + type.name() + "']");
  }

  /** Writes events whose delivery waits until the hook goes on. */
  private void writeEvents() {
    transactions.execute(
        () -> {
          IntStream.range(0, EVENTS)
              .forEach(
                  i ->
                      log.add(
                          NewEvent.of(
                              EventKind.SUCCESS, type, Event.ofSchedule("" + i, "X", null))));
          return null;
        });
  }

  private HookRow row(Saved hook) {
    return store.find(Long.parseLong(hook.id())).orElseThrow();
  }

  private int deliveries(Saved hook) {
    families.of(HookTasks.TYPE); // its first table
    return jdbc.sql("SELECT COUNT(*) FROM t_flow_webhook_task_1 WHERE task_stage = ?")
        .param("hook-" + hook.id())
        .query(Integer.class)
        .single();
  }

  @Test
  void dispatchesAtOnceMakeOneDeliveryAnEvent() {
    Saved hook = aHook();
    writeEvents();

    await()
        .atMost(PATIENCE, SECONDS)
        .until(
            () -> {
              AtOnce.from(4, number -> dispatch.runOnce());
              return deliveries(hook) >= EVENTS;
            });
    AtOnce.from(4, number -> dispatch.runOnce());
    assertThat(deliveries(hook)).isEqualTo(EVENTS);
  }

  /** As a leader that is killed after a page, and another one that begins with it again. */
  @Test
  void pageThatIsDispatchedAgainMakesNoSecondDelivery() {
    Saved hook = aHook();
    long begin = row(hook).cursor();
    writeEvents();
    await()
        .atMost(PATIENCE, SECONDS)
        .until(
            () -> {
              dispatch.runOnce();
              return deliveries(hook) == EVENTS;
            });

    jdbc.sql("UPDATE t_hook SET cursor_ = ? WHERE id = ?").params(begin, hook.id()).update();
    await()
        .atMost(PATIENCE, SECONDS)
        .until(
            () -> {
              dispatch.runOnce();
              return row(hook).cursor() >= dispatch.stable().orElse(Long.MAX_VALUE);
            });
    assertThat(deliveries(hook)).isEqualTo(EVENTS);
  }

  @Test
  void cursorOfAHookWithoutMatchingEventsMovesOn() {
    Saved hook = hooks.save(receiver.url(path), ",'kinds':['POISON']");
    long begin = row(hook).cursor();
    writeEvents();

    await()
        .atMost(PATIENCE, SECONDS)
        .until(
            () -> {
              dispatch.runOnce();
              return row(hook).cursor() >= begin + EVENTS;
            });
    assertThat(deliveries(hook)).isZero();
  }

  @Test
  void hookThatIsDeletedDuringADispatchGetsNothingMore() {
    Saved hook = aHook();
    HookRow before = row(hook);
    hooks.call("delete", hook);
    writeEvents();
    await()
        .atMost(PATIENCE, SECONDS)
        .until(
            () ->
                events
                    .page(before.cursor(), dispatch.stable().orElse(before.cursor()), 20 * EVENTS)
                    .stream()
                    .anyMatch(event -> event.event().taskType().equals(type.name())));
    HookStore asRead = spy(store);
    doReturn(List.of(before)).when(asRead).all();

    assertThat(new HookDispatch(asRead, tail, events, creator, node).runOnce()).isZero();
    assertThat(deliveries(hook)).isZero();
  }
}
