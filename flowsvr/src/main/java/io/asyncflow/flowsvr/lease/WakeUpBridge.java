package io.asyncflow.flowsvr.lease;

import io.asyncflow.flowsvr.system.RedisLink;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktype.TaskType;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
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

  /** Said of tasks none of which is due earlier than those that waited before. */
  private static final String LATER = " later";

  private final RedisLink redis;
  private final TaskHolds holds;
  private final String self = UUID.randomUUID().toString();
  private final Map<TaskType, Boolean> untold = new HashMap<>();
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
    if (redis.isConfigured() && isFirst(news)) {
      try {
        publisher.execute(() -> tell(news.type()));
      } catch (Throwable e) { // no thread: whoever comes next must not rely on this one
        forget(news.type());
        throw e;
      }
    }
  }

  private synchronized void forget(TaskType type) {
    untold.remove(type);
  }

  /** Notes what has to be told; false if the publisher will come by anyway. */
  private synchronized boolean isFirst(TasksWaiting news) {
    Boolean before = untold.get(news.type());
    untold.put(news.type(), news.dueFromNowOn() && !Boolean.FALSE.equals(before));
    return before == null;
  }

  private void tell(TaskType type) {
    boolean dueFromNowOn;
    synchronized (this) {
      dueFromNowOn = untold.remove(type); // before telling: news that comes now is told once more
    }
    redis.publish(CHANNEL, self + " " + type.name() + (dueFromNowOn ? LATER : ""));
  }

  private void heard(String message) {
    int space = message.indexOf(' ');
    if (space <= 0 || message.startsWith(self)) {
      return;
    }
    boolean dueFromNowOn = message.endsWith(LATER);
    int end = message.length() - (dueFromNowOn ? LATER.length() : 0);
    TaskType.parse(message.substring(space + 1, Math.max(space + 1, end)))
        .ifPresent(type -> holds.on(new TasksWaiting(type, Set.of(), Set.of(), dueFromNowOn)));
  }

  @Override
  public void destroy() throws Exception {
    subscription.close();
    publisher.shutdownNow();
  }
}
