package io.asyncflow.flowsvr.compose.job.progress;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.redis.ClusterEvents;
import io.asyncflow.flowsvr.base.system.redis.RedisLink;
import io.asyncflow.flowsvr.compose.job.core.JobChanged;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** News of jobs between servers: each context here is a server of its own. */
@Timeout(60)
class JobNewsIT {

  private final EmbeddedRedis redis = TestServices.redis();
  private final List<AutoCloseable> open = new ArrayList<>();

  /** A server as far as news go, with a watch of the jobs 1 and 2 that never polls. */
  private final class Server {
    final List<Long> looks = new CopyOnWriteArrayList<>();
    final AnnotationConfigApplicationContext beans = new AnnotationConfigApplicationContext();

    Server() {
      beans.registerBean(RedisLink.class, () -> new RedisLink(redis.url()));
      beans.registerBean(
          "feed", ProgressFeed.class, () -> new ProgressFeed(this::look, Duration.ofHours(1)));
      beans.register(Events.class, ClusterEvents.class);
      beans.refresh();
      open.add(beans);
      ProgressFeed watch = beans.getBean(ProgressFeed.class);
      watch.add(1, new Deaf());
      watch.add(2, new Deaf());
    }

    private Map<Long, JobSnapshot> look(Collection<Long> ids) {
      looks.addAll(ids);
      JobProgress running = new JobProgress("1", JobState.RUNNING, 10, 0, 0, 0, 0, 0, null, null);
      return ids.stream().collect(toMap(id -> id, id -> new JobSnapshot(1, running)));
    }

    void changes(long jobId) {
      beans.getBean(ClusterEvents.class).on(new JobChanged(jobId));
    }
  }

  private static final class Deaf implements ProgressFeed.Listener {
    @Override
    public void tell(JobSnapshot sight) {}

    @Override
    public void beat() {}

    @Override
    public void end() {}
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  /** Until the subscription stands nobody hears anything, so this is told again and again. */
  private static void awaitHearing(Server speaker, Server listener) {
    int before = count(listener, 2);
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              speaker.changes(2);
              return count(listener, 2) > before;
            });
  }

  private static int count(Server server, long jobId) {
    return (int) server.looks.stream().filter(id -> id == jobId).count();
  }

  @Test
  void changeOnOneServerIsLookedAtOnTheOthers() {
    Server a = new Server();
    Server b = new Server();
    awaitHearing(a, b);
    awaitHearing(b, a);
    int before = count(a, 1);
    int beforeElsewhere = count(b, 1);

    await() // Redis may lose a message
        .until(
            () -> {
              a.changes(1);
              return count(b, 1) > beforeElsewhere;
            });

    assertThat(count(a, 1)).as("it looks by itself").isEqualTo(before);
  }

  @Test
  void newsAfterAnOutageIsHeardAgain() {
    Server a = new Server();
    Server b = new Server();
    awaitHearing(a, b);
    redis.kill();
    a.changes(1);
    redis.restart();
    awaitHearing(a, b);
  }
}
