package io.asyncflow.flowsvr.schedule.fire;

import io.asyncflow.flowsvr.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.system.redis.ClusterNotifier;
import io.asyncflow.flowsvr.system.redis.RedisLink;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Tells the other servers through Redis that schedules have changed, so that the owner of a slice
 * looks at once instead of within a second. Thread-safe.
 */
@Component
class ScheduleNews implements DisposableBean {

  private final ClusterNotifier<String, Boolean> others;

  ScheduleNews(RedisLink redis, FireLoop loop, SchedulesPresence presence) {
    this.others =
        new ClusterNotifier<>(
            redis,
            "asyncflow:schedule",
            "schedule-news",
            (a, b) -> a,
            (key, value) -> key,
            line -> {
              presence.saw();
              loop.on(new SchedulesChanged()); // an event would be told to the others again
            });
  }

  @EventListener
  public void on(SchedulesChanged news) {
    others.tell("changed", true);
  }

  @Override
  public void destroy() throws Exception {
    others.close();
  }
}
