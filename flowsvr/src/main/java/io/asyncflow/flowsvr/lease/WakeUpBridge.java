package io.asyncflow.flowsvr.lease;

import io.asyncflow.flowsvr.system.RedisLink;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktype.TaskType;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Carries the news of waiting tasks between servers through Redis, so that a hold parked on one is
 * woken by a create on another. News may be lost: parked holds poll now and then all the same.
 *
 * <p>One thread publishes; what arrives while it does is told once a type.
 */
@Component
class WakeUpBridge implements InitializingBean, DisposableBean {

  private static final String CHANNEL = "asyncflow:waiting";

  private final RedisLink redis;
  private final TaskHolds holds;
  private final String self = UUID.randomUUID().toString();
  private final Set<TaskType> untold = ConcurrentHashMap.newKeySet();
  private final ExecutorService publisher =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          work -> {
            Thread thread = new Thread(work, "wake-up");
            thread.setDaemon(true);
            return thread;
          },
          new DiscardPolicy()); // a server that stops must not fail a create over lost news
  private AutoCloseable subscription;

  WakeUpBridge(RedisLink redis, TaskHolds holds) {
    this.redis = redis;
    this.holds = holds;
  }

  @Override
  public void afterPropertiesSet() {
    subscription = redis.subscribe(CHANNEL, this::heard);
  }

  @EventListener
  void on(TasksWaiting news) {
    if (redis.isConfigured() && untold.add(news.type())) {
      publisher.execute(() -> tell(news.type()));
    }
  }

  private void tell(TaskType type) {
    untold.remove(type); // before telling: news that comes now is told once more
    redis.publish(CHANNEL, self + " " + type.name());
  }

  private void heard(String message) {
    int space = message.indexOf(' ');
    if (space > 0 && !message.startsWith(self)) {
      TaskType.parse(message.substring(space + 1))
          .ifPresent(type -> holds.on(new TasksWaiting(type)));
    }
  }

  @Override
  public void destroy() throws Exception {
    subscription.close();
    publisher.shutdownNow();
  }
}
