package io.asyncflow.flowsvr.job.progress;

import io.asyncflow.flowsvr.job.core.JobsChanged;
import io.asyncflow.flowsvr.system.redis.ClusterNotifier;
import io.asyncflow.flowsvr.system.redis.RedisLink;
import java.util.Set;
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
  private final ProgressFeed watch;
  private ClusterNotifier<Long, Boolean> news;

  ProgressBridge(RedisLink redis, ProgressFeed watch) {
    this.redis = redis;
    this.watch = watch;
  }

  @Override
  public void afterPropertiesSet() {
    news =
        new ClusterNotifier<>(
            redis,
            CHANNEL,
            "job-news",
            Boolean::logicalAnd,
            (jobId, changed) -> jobId.toString(),
            this::heard);
  }

  @EventListener
  void on(JobsChanged changed) {
    changed.jobIds().forEach(jobId -> news.tell(jobId, true));
  }

  private void heard(String jobId) {
    if (jobId.matches("[0-9]{1,18}")) {
      watch.changed(Set.of(Long.parseLong(jobId)));
    }
  }

  @Override
  public void destroy() throws Exception {
    news.close();
  }
}
