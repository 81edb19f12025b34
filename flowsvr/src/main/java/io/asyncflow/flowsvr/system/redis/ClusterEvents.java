package io.asyncflow.flowsvr.system.redis;

import io.asyncflow.flowsvr.system.Events;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Notifies the other servers through Redis of events that happen here, and publishes here what
 * happens there, so that no server has to look for it. Notifications may be lost. Thread-safe.
 */
@Component
public class ClusterEvents implements DisposableBean {

  private final Map<Class<?>, ClusterNotifier<String, Boolean>> notifiers = new HashMap<>();

  ClusterEvents(RedisLink redis, Events events, List<ClusterEvent.Kind> kinds) {
    for (ClusterEvent.Kind kind : kinds) {
      notifiers.put(
          kind.type(),
          new ClusterNotifier<>(
              redis,
              "asyncflow:" + kind.name(),
              kind.name() + "-news",
              Boolean::logicalAnd,
              (key, value) -> key,
              line -> kind.fromAfar().apply(line).ifPresent(events::publish)));
    }
  }

  @EventListener
  public void on(ClusterEvent event) {
    ClusterNotifier<String, Boolean> others = notifiers.get(event.getClass());
    if (others != null && !event.isFromAfar()) {
      others.tell(event.line(), true);
    }
  }

  @Override
  public void destroy() throws Exception {
    for (ClusterNotifier<String, Boolean> notifier : notifiers.values()) {
      notifier.close();
    }
  }
}
