package io.asyncflow.flowsvr.base.system.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.base.system.Events;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;

/** Events of one server that another one publishes; each context is a server. */
@Timeout(60)
class ClusterEventsIT {

  record Changed(boolean isFromAfar) implements ClusterEvent {}

  record Unshared(boolean isFromAfar) implements ClusterEvent {}

  static class Listener {
    final List<ClusterEvent> heard = new CopyOnWriteArrayList<>();

    @EventListener
    void on(ClusterEvent event) {
      heard.add(event);
    }
  }

  private final EmbeddedRedis redis = TestServices.redis();
  private final AnnotationConfigApplicationContext one = server();
  private final AnnotationConfigApplicationContext two = server();

  private AnnotationConfigApplicationContext server() {
    AnnotationConfigApplicationContext server = new AnnotationConfigApplicationContext();
    server.registerBean(RedisLink.class, () -> new RedisLink(redis.url()));
    server.registerBean(
        ClusterEvent.Kind.class, () -> new ClusterEvent.Kind("test", new Changed(true)));
    server.register(Events.class, ClusterEvents.class, Listener.class);
    server.refresh();
    return server;
  }

  @AfterEach
  void stop() {
    one.close();
    two.close();
  }

  @Test
  void eventsArePublishedOnceOnEachServer() {
    List<ClusterEvent> heardByTwo = two.getBean(Listener.class).heard;
    await()
        .atMost(Duration.ofSeconds(20))
        .until( // nothing is heard before the subscription stands
            () -> {
              one.getBean(Events.class).publish(new Unshared(false));
              one.getBean(Events.class).publish(new Changed(false));
              return !heardByTwo.isEmpty();
            });

    assertThat(heardByTwo).containsOnly(new Changed(true));
    assertThat(one.getBean(Listener.class).heard)
        .containsOnly(new Unshared(false), new Changed(false));
  }
}
