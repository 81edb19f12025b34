package io.asyncflow.flowsvr.hold;

import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.system.redis.RedisLink;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** News between servers: each bridge here is the one of a server of its own. */
@Timeout(60)
class WakeUpBridgeIT {

  private static final TasksWaiting LARK = new TasksWaiting(new TaskType("lark"));
  private static final TasksWaiting TTS = new TasksWaiting(new TaskType("tts"));

  private final EmbeddedRedis redis = TestServices.redis();
  private final List<AutoCloseable> open = new ArrayList<>();

  /** A server as far as news go: a bridge, and the parked holds that it wakes. */
  private final class Server {
    final TaskHolds parkedHolds = mock(TaskHolds.class);
    final WakeUpBridge bridge;

    Server() {
      RedisLink link = new RedisLink(redis.url());
      bridge = new WakeUpBridge(link, parkedHolds);
      bridge.afterPropertiesSet();
      open.add(bridge::destroy);
      open.add(link::destroy);
    }

    boolean heard() {
      return !mockingDetails(parkedHolds).getInvocations().isEmpty();
    }
  }

  @BeforeEach
  void redisRuns() {
    if (!redis.isRunning()) {
      redis.restart();
    }
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  /** Until the subscription stands nobody hears anything, so this is told again and again. */
  private static void awaitHearing(Server speaker, Server listener) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              speaker.bridge.on(TTS);
              return listener.heard();
            });
    clearInvocations(listener.parkedHolds);
  }

  @Test
  void newsOfOneServerWakeTheOthersAndNotItself() {
    Server a = new Server();
    Server b = new Server();
    awaitHearing(a, b);
    awaitHearing(b, a);

    a.bridge.on(LARK);

    await().untilAsserted(() -> verify(b.parkedHolds, atLeastOnce()).on(LARK));
    verify(a.parkedHolds, never()).on(LARK);
  }

  @Test
  void newsAfterAnOutageWakeAgain() {
    Server a = new Server();
    Server b = new Server();
    awaitHearing(a, b);

    redis.kill();
    for (int i = 0; i < 100; i++) {
      a.bridge.on(LARK);
    }
    redis.restart();

    clearInvocations(b.parkedHolds);
    awaitHearing(a, b);
    a.bridge.on(LARK);
    await().untilAsserted(() -> verify(b.parkedHolds, atLeastOnce()).on(LARK));
  }

  @Test
  void strangersWordsOnTheChannelWakeNobody() {
    Server a = new Server();
    Server b = new Server();
    awaitHearing(a, b);
    RedisLink stranger = new RedisLink(redis.url());
    open.add(stranger::destroy);

    for (String word : List.of("", " ", "x", "somebody ", "somebody no_type;", "a b c")) {
      stranger.publish("asyncflow:waiting", word);
    }
    stranger.publish("asyncflow:waiting", "somebody LARK");

    await().untilAsserted(() -> verify(b.parkedHolds).on(LARK));
    verify(b.parkedHolds, never()).on(argThat(news -> !Set.of(LARK, TTS).contains(news)));
  }

  @Test
  void serverThatStopsTakesNewsWithoutComplaint() throws Exception {
    Server a = new Server();
    a.bridge.destroy();

    a.bridge.on(LARK);
  }
}
