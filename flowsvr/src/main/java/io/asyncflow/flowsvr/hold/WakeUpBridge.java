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
 * Sends {@link TasksWaiting} news to the other servers through Redis, so that a create on one
 * server wakes holds parked on another. News may be lost; the scan finds the tasks all the same.
 */
@Component
class WakeUpBridge implements InitializingBean, DisposableBean {

  private static final String CHANNEL = "asyncflow:waiting";

  /** Suffix of a message about tasks of which none is due earlier than those that waited before. */
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
            this::receive);
  }

  @EventListener
  void on(TasksWaiting news) {
    waiting.tell(news.type(), news.dueFromNowOn());
  }

  /**
   * Calls {@link TaskHolds#on} directly. To publish the news would be an echo: {@link
   * #on(TasksWaiting)} would send it to all servers again, without end.
   */
  private void receive(String news) {
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
