package io.asyncflow.flowsvr.queue.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;
import io.asyncflow.flowsvr.base.system.redis.ClusterEvents;
import io.asyncflow.flowsvr.base.system.redis.RedisLink;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;

/** News of waiting tasks between servers. */
@Timeout(60)
class WaitingNewsIT {

  private static final TaskType LARK = new TaskType("lark");
  private static final TaskType TTS = new TaskType("tts");

  private final EmbeddedRedis redis = TestServices.redis();
  private final List<AutoCloseable> open = new ArrayList<>();

  /** Stands for the parked holds. */
  static class Listener {
    final List<TasksWaiting> heard = new CopyOnWriteArrayList<>();

    @EventListener
    void on(TasksWaiting news) {
      heard.add(news);
    }
  }

  /** A server as far as news go. */
  private final class Server {
    final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    final List<TasksWaiting> heard;

    Server() {
      context.registerBean(RedisLink.class, () -> new RedisLink(redis.url()));
      context.registerBean(ClusterEvent.Kind.class, TaskHolds::waitingNews);
      context.register(Events.class, ClusterEvents.class, Listener.class);
      context.refresh();
      open.add(context);
      heard = context.getBean(Listener.class).heard;
    }

    void tell(TaskType type) {
      context.getBean(Events.class).publish(new TasksWaiting(type));
    }
  }

  private static TasksWaiting fromAfar(TaskType type) {
    return new TasksWaiting(type, Set.of(), Set.of(), false, true);
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  /** Until the subscription stands nobody hears anything, so this is told again and again. */
  private static void awaitHearing(Server speaker, Server listener) {
    listener.heard.clear();
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              speaker.tell(TTS);
              return listener.heard.contains(fromAfar(TTS));
            });
    listener.heard.clear();
  }

  @Test
  void newsOfOneServerWakeTheOthersAndNotItselfAgain() {
    Server a = new Server();
    Server b = new Server();
    awaitHearing(a, b);
    awaitHearing(b, a);

    a.tell(LARK);

    await().untilAsserted(() -> assertThat(b.heard).contains(fromAfar(LARK)));
    assertThat(a.heard).contains(new TasksWaiting(LARK)).doesNotContain(fromAfar(LARK));
  }

  @Test
  void newsAfterAnOutageWakeAgain() {
    Server a = new Server();
    Server b = new Server();
    awaitHearing(a, b);

    redis.kill();
    for (int i = 0; i < 100; i++) {
      a.tell(LARK);
    }
    redis.restart();

    awaitHearing(a, b);
    a.tell(LARK);
    await().untilAsserted(() -> assertThat(b.heard).contains(fromAfar(LARK)));
  }

  @Test
  void newsThatTasksAreDueLaterAreHeardAsSuch() {
    Server a = new Server();
    Server b = new Server();
    awaitHearing(a, b);

    a.context
        .getBean(Events.class)
        .publish(new TasksWaiting(LARK, Set.of(), Set.of("first"), true));

    await()
        .untilAsserted(
            () ->
                assertThat(b.heard)
                    .contains(new TasksWaiting(LARK, Set.of(), Set.of(), true, true)));
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

    await().untilAsserted(() -> assertThat(b.heard).contains(fromAfar(LARK)));
    assertThat(Set.of(fromAfar(LARK), fromAfar(TTS))).containsAll(b.heard);
  }

  @Test
  void serverThatStopsTakesNewsWithoutComplaint() throws Exception {
    Server a = new Server();
    ClusterEvents events = a.context.getBean(ClusterEvents.class);
    events.destroy();

    events.on(new TasksWaiting(LARK));
  }
}
