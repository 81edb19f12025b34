package io.asyncflow.flowsvr.access.key;

import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.redis.ClusterNotifier;
import io.asyncflow.flowsvr.system.redis.RedisLink;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Tells the other servers through Redis that keys have changed. Thread-safe. */
@Component
@ConditionalOnProperty(name = "flow.access.mode", havingValue = "keys")
class KeyNews implements DisposableBean {

  private final ClusterNotifier<String, Boolean> others;

  KeyNews(RedisLink redis, Events events) {
    this.others =
        new ClusterNotifier<>(
            redis,
            "asyncflow:access",
            "access-news",
            (a, b) -> a,
            (key, value) -> key,
            line -> events.publish(new AccessKeysChanged(true)));
  }

  @EventListener
  public void on(AccessKeysChanged news) {
    if (!news.isFromAfar()) {
      others.tell("changed", true);
    }
  }

  @Override
  public void destroy() throws Exception {
    others.close();
  }
}
