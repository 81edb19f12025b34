package io.asyncflow.flowsvr.hold;

import io.asyncflow.flowsvr.system.redis.ClusterNotifier;
import io.asyncflow.flowsvr.system.redis.RedisLink;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.rules.TaskType;
import java.util.Set;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Carries the news of waiting tasks between servers through Redis, so that a hold parked on one is
 * woken by a create on another. News may be lost: parked holds poll now and then all the same.
 */
@Component
class WakeUpBridge implements InitializingBean, DisposableBean {

  private static final String CHANNEL = "asyncflow:waiting";

  /** Said of tasks none of which is due earlier than those that waited before. */
  private static final String LATER = " later";

  private final RedisLink redis;
  private final TaskHolds holds;
  private ClusterNotifier<TaskType, Boolean> waiting;

  WakeUpBridge(RedisLink redis, TaskHolds holds) {
    this.redis = redis;
    this.holds = holds;
  }

  @Override
  public void afterPropertiesSet() {
    waiting =
        new ClusterNotifier<>(
            redis,
            CHANNEL,
            "wake-up",
            Boolean::logicalAnd,
            (type, dueFromNowOn) -> type.name() + (dueFromNowOn ? LATER : ""),
            this::heard);
  }

  @EventListener
  void on(TasksWaiting news) {
    waiting.tell(news.type(), news.dueFromNowOn());
  }

  private void heard(String news) {
    boolean dueFromNowOn = news.endsWith(LATER);
    int end = news.length() - (dueFromNowOn ? LATER.length() : 0);
    TaskType.parse(news.substring(0, end))
        .ifPresent(type -> holds.on(new TasksWaiting(type, Set.of(), Set.of(), dueFromNowOn)));
  }

  @Override
  public void destroy() throws Exception {
    waiting.close();
  }
}
