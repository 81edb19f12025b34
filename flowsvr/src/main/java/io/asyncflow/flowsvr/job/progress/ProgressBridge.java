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
 * Notifies the other servers through Redis that a job has changed, so that listeners on every
 * server see it at once. A notification contains only the job's id and may be lost: watched jobs
 * are also polled.
 */
@Component
class ProgressBridge implements InitializingBean, DisposableBean {

  private static final String CHANNEL = "asyncflow:jobs";

  private final RedisLink redis;
  private final ProgressFeed watch;
  private ClusterNotifier<Long, Boolean> notifier;

  ProgressBridge(RedisLink redis, ProgressFeed watch) {
    this.redis = redis;
    this.watch = watch;
  }

  @Override
  public void afterPropertiesSet() {
    notifier =
        new ClusterNotifier<>(
            redis,
            CHANNEL,
            "job-news",
            Boolean::logicalAnd,
            (jobId, changed) -> jobId.toString(),
            this::receive);
  }

  @EventListener
  void on(JobsChanged changed) {
    changed.jobIds().forEach(jobId -> notifier.tell(jobId, true));
  }

  private void receive(String jobId) {
    if (jobId.matches("[0-9]{1,18}")) {
      watch.changed(Set.of(Long.parseLong(jobId)));
    }
  }

  @Override
  public void destroy() throws Exception {
    notifier.close();
  }
}
