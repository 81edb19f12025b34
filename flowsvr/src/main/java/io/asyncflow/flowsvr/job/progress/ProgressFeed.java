package io.asyncflow.flowsvr.job.progress;

import io.asyncflow.flowsvr.job.core.JobsChanged;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.system.concurrent.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Tells listeners how far their jobs are: what it sees first, then what is new, and the end.
 *
 * <p>One thread looks, at all jobs that changed since it looked last, and tells all who listen to
 * them; so the database is asked as often for a thousand listeners as for one, and changes that
 * come faster than it looks are one. It looks when this server has changed a job, when another one
 * says so, and now and then in any case: a job's end is never missed, whoever's news is lost.
 *
 * <p>Thread-safe. A listener is told by that one thread, so it must not block.
 */
@Component
public class ProgressFeed implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(ProgressFeed.class);
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Every so many polls those who heard nothing hear that they are still listened to. */
  private static final int POLLS_A_BEAT = 10;

  /** Who wants to know. */
  public interface Listener {

    /** This is how far the job is. */
    void tell(JobSnapshot sight);

    /** There is nothing new, and the connection lives. */
    void beat();

    /** This server has nothing more to say. */
    void end();
  }

  private static final class Watched {
    final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    final Set<Listener> newcomers = ConcurrentHashMap.newKeySet();
    JobSnapshot last;

    /** The listener hears from now on what is new, unless it has been removed meanwhile. */
    Watched admit(Listener newcomer) {
      if (newcomers.remove(newcomer)) {
        listeners.add(newcomer);
      }
      return this;
    }
  }

  private final Function<Collection<Long>, Map<Long, JobSnapshot>> look;
  private final Map<Long, Watched> watched = new ConcurrentHashMap<>();
  private final Set<Long> changed = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor looking;
  private final BackgroundLoop polling;
  private int polls;
  private volatile boolean closing;

  @Autowired
  ProgressFeed(JobSnapshotStore jobs) {
    this(jobs::look, POLL);
  }

  /**
   * @param look at jobs by their ids; those that do not exist are missing
   * @param poll how often it looks at all of them
   */
  ProgressFeed(Function<Collection<Long>, Map<Long, JobSnapshot>> look, Duration poll) {
    this.look = look;
    looking = DaemonThreads.pool(1, "job-watch");
    polling = BackgroundLoop.start("job-watch-poll", poll, this::poll);
  }

  /** Tells the listener of this job until the job ends, it is removed, or this server stops. */
  public void add(long jobId, Listener listener) {
    watched.compute(
        jobId,
        (id, known) -> {
          Watched job = known == null ? new Watched() : known;
          job.newcomers.add(listener);
          return job;
        });
    changed(Set.of(jobId));
    if (closing) {
      endAll();
    }
  }

  public void remove(long jobId, Listener listener) {
    watched.computeIfPresent(
        jobId,
        (id, job) -> {
          job.newcomers.remove(listener);
          job.listeners.remove(listener);
          return job.newcomers.isEmpty() && job.listeners.isEmpty() ? null : job;
        });
  }

  /** How many jobs are watched. */
  int size() {
    return watched.size();
  }

  @EventListener
  void on(JobsChanged news) {
    changed(news.jobIds());
  }

  /** Something about these jobs may be new. */
  void changed(Collection<Long> jobIds) {
    boolean any = false;
    for (long jobId : jobIds) {
      any |= watched.containsKey(jobId) && changed.add(jobId);
    }
    if (any) {
      looking.execute(this::lookAtChanged);
    }
  }

  private void poll() {
    changed.addAll(watched.keySet());
    looking.execute(this::lookAtChanged);
    if (++polls % POLLS_A_BEAT == 0) {
      looking.execute(() -> watched.values().forEach(job -> job.listeners.forEach(Listener::beat)));
    }
  }

  private void lookAtChanged() {
    List<Long> ids = new ArrayList<>(changed);
    ids.forEach(changed::remove); // before looking: what changes now is looked at once more
    if (ids.isEmpty()) {
      return;
    }
    try {
      Map<Long, JobSnapshot> sights = look.apply(ids);
      sights.forEach(this::seen);
      ids.stream().filter(id -> !sights.containsKey(id)).forEach(this::endAll); // deleted
    } catch (RuntimeException e) {
      log.debug("watched jobs are looked at again in a second: {}", e.toString());
    }
  }

  private void seen(long jobId, JobSnapshot sight) {
    Watched job = watched.get(jobId);
    if (job == null) {
      return;
    }
    boolean isNews = !sight.sameAs(job.last);
    job.last = sight;
    if (isNews) {
      job.listeners.forEach(listener -> listener.tell(sight));
    }
    for (Listener newcomer : job.newcomers) {
      watched.computeIfPresent(jobId, (id, known) -> known.admit(newcomer));
      newcomer.tell(sight);
    }
    if (sight.hasEnded()) {
      job.listeners.forEach(listener -> end(jobId, listener));
    }
  }

  private void endAll(long jobId) {
    Watched job = watched.get(jobId);
    if (job != null) {
      job.newcomers.forEach(listener -> end(jobId, listener));
      job.listeners.forEach(listener -> end(jobId, listener));
    }
  }

  private void end(long jobId, Listener listener) {
    listener.end();
    remove(jobId, listener);
  }

  /** Clients come back by themselves, to another server. */
  @EventListener(ContextClosedEvent.class)
  void endAll() {
    closing = true;
    watched.keySet().forEach(this::endAll);
  }

  @Override
  public void destroy() {
    polling.close();
    looking.shutdownNow();
  }
}
