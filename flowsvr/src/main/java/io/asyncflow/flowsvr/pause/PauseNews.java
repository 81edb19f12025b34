package io.asyncflow.flowsvr.pause;

import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.redis.ClusterNotifier;
import io.asyncflow.flowsvr.system.redis.RedisLink;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Tells the other servers through Redis that pauses have changed, so that they need not be asked
 * for. Thread-safe.
 */
@Component
class PauseNews implements DisposableBean {

  private final ClusterNotifier<String, Boolean> others;

  PauseNews(RedisLink redis, Events events) {
    this.others =
        new ClusterNotifier<>(
            redis,
            "asyncflow:pause",
            "pause-news",
            (a, b) -> a,
            (key, value) -> key,
            line -> events.publish(new PausesChanged(true)));
  }

  @EventListener
  public void on(PausesChanged news) {
    if (!news.isFromAfar()) {
      others.tell("changed", true);
    }
  }

  @Override
  public void destroy() throws Exception {
    others.close();
  }
}
