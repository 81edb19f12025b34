package io.asyncflow.flowsvr.event;

import io.asyncflow.flowsvr.event.log.EventsWritten;
import io.asyncflow.flowsvr.system.redis.ClusterNotifier;
import io.asyncflow.flowsvr.system.redis.RedisLink;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Tells the tails of other servers through Redis that events were written. The news says no more,
 * and may be lost: tails also poll.
 */
@Component
class EventBridge implements InitializingBean, DisposableBean {

  private static final String CHANNEL = "asyncflow:event";
  private static final String WRITTEN = "written";

  private final RedisLink redis;
  private final EventTail tail;
  private ClusterNotifier<String, Boolean> notifier;

  EventBridge(RedisLink redis, EventTail tail) {
    this.redis = redis;
    this.tail = tail;
  }

  @Override
  public void afterPropertiesSet() {
    notifier =
        new ClusterNotifier<>(
            redis,
            CHANNEL,
            "event-news",
            Boolean::logicalAnd,
            (key, written) -> key,
            news -> tail.wake());
  }

  @EventListener
  void on(EventsWritten written) {
    notifier.tell(WRITTEN, true);
  }

  @Override
  public void destroy() throws Exception {
    notifier.close();
  }
}
