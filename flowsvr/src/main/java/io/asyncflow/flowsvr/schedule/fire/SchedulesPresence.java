package io.asyncflow.flowsvr.schedule.fire;

import io.asyncflow.flowsvr.duty.Feature;
import io.asyncflow.flowsvr.duty.FeaturesInUse;
import io.asyncflow.flowsvr.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.schedule.slice.SchedulesInUse;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.system.redis.ClusterEvent;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Knows whether there is any schedule, by looking each few seconds and by news, so that a system
 * without schedules pays for nothing else. Thread-safe.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class SchedulesPresence
    implements SchedulesInUse, ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private static final Duration PROBE_INTERVAL = Duration.ofSeconds(5);

  private static final Feature SCHEDULES = new Feature("t_schedule");

  private final FeaturesInUse features;
  private final AtomicInteger news = new AtomicInteger();
  private volatile boolean isInUse;
  private BackgroundLoop loop;

  SchedulesPresence(FeaturesInUse features) {
    this.features = features;
  }

  @Bean
  static ClusterEvent.Kind scheduleNews() {
    return new ClusterEvent.Kind("schedule", new SchedulesChanged(true));
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    loop = BackgroundLoop.start("schedules-in-use", PROBE_INTERVAL, this::probe);
    loop.runSoon();
  }

  void probe() {
    int before = news.get();
    boolean found = features.has(SCHEDULES);
    synchronized (this) {
      if (news.get() == before) { // else what was read may be older than the schedule of the news
        isInUse = found;
      }
    }
  }

  /** There is a schedule, or was just now. */
  synchronized void saw() {
    features.changed(); // also where it is in use: what others have read may be older, and say no
    news.incrementAndGet();
    isInUse = true;
  }

  @EventListener
  @Order(Ordered.HIGHEST_PRECEDENCE)
  public void on(SchedulesChanged news) {
    saw();
  }

  @Override
  public boolean inUse() {
    return isInUse;
  }

  @Override
  public void destroy() {
    if (loop != null) {
      loop.close();
    }
  }
}
