package io.asyncflow.flowsvr.job;

import io.asyncflow.flowsvr.system.RedisLink;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Carries the news that a job has changed between servers through Redis, so that who listens on one
 * hears at once what was reported to another. News may be lost: watched jobs are looked at now and
 * then all the same. It says which job, and never how it is.
 */
@Component
class ProgressBridge implements InitializingBean, DisposableBean {

  private static final String CHANNEL = "asyncflow:jobs";

  private final RedisLink redis;
  private final JobWatch watch;
  private final String self = UUID.randomUUID().toString();
  private final Set<Long> untold = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor publisher =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          work -> {
            Thread thread = new Thread(work, "job-news");
            thread.setDaemon(true);
            return thread;
          },
          new DiscardPolicy()); // a server that stops must not fail a report over lost news
  private AutoCloseable subscription;

  ProgressBridge(RedisLink redis, JobWatch watch) {
    this.redis = redis;
    this.watch = watch;
  }

  @Override
  public void afterPropertiesSet() {
    subscription = redis.subscribe(CHANNEL, this::heard);
  }

  @EventListener
  void on(JobsChanged news) {
    if (redis.isConfigured()) {
      for (long jobId : news.jobIds()) {
        if (untold.add(jobId)) {
          publisher.execute(() -> tell(jobId));
        }
      }
    }
  }

  private void tell(long jobId) {
    untold.remove(jobId); // before telling: news that comes now is told once more
    redis.publish(CHANNEL, self + " " + jobId);
  }

  private void heard(String message) {
    String[] parts = message.split(" ");
    boolean isOurs = parts.length == 2 && parts[1].matches("[0-9]{1,18}");
    if (isOurs && !parts[0].equals(self)) {
      watch.changed(Set.of(Long.parseLong(parts[1])));
    }
  }

  @Override
  public void destroy() throws Exception {
    subscription.close();
    publisher.shutdownNow();
  }
}
