package io.asyncflow.flowsvr.compose.job.progress;

import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.base.system.concurrent.DaemonThreads;
import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;
import io.asyncflow.flowsvr.compose.job.core.JobChanged;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Sends listeners the progress of their jobs: the present state, then changes, then the end.
 *
 * <p>One thread reads all jobs that changed since its last read and calls their listeners. So a
 * thousand listeners of a job cost the database as much as one, and frequent changes are merged.
 * The thread reads after a change on this server, after a notification from another server, and at
 * a poll interval in any case, so that no end is missed when a notification is lost.
 *
 * <p>Thread-safe. Listeners are called by that one thread, so they must not block.
 */
@Component
public class ProgressFeed implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(ProgressFeed.class);
  private static final Duration POLL = Duration.ofSeconds(1);

  /** After this many polls without news, a listener gets a beat. */
  private static final int POLLS_A_BEAT = 10;

  /** A receiver of progress. */
  public interface Listener {

    /** Receives the progress of the job. */
    void tell(JobSnapshot snapshot);

    /** Receives a keep-alive: nothing has changed. */
    void beat();

    /** Receives the end of the feed. */
    void end();
  }

  private final Function<Collection<Long>, Map<Long, JobSnapshot>> reader;

  /** The listeners of each watched job, and what each was sent last; empty before the first. */
  private final Map<Long, Map<Listener, Optional<JobSnapshot>>> watched = new ConcurrentHashMap<>();

  private final Set<Long> changed = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor readerThread;
  private final BackgroundLoop polling;
  private int polls;

  @Autowired
  ProgressFeed(JobSnapshotStore jobs) {
    this(jobs::read, POLL);
  }

  /**
   * @param reader reads jobs by their ids; jobs that do not exist are missing from its result
   * @param poll the interval between reads of all watched jobs
   */
  ProgressFeed(Function<Collection<Long>, Map<Long, JobSnapshot>> reader, Duration poll) {
    this.reader = reader;
    readerThread = DaemonThreads.pool(1, "job-watch");
    polling = BackgroundLoop.start("job-watch-poll", poll, this::poll);
  }

  /** Sends the listener the progress of this job until the job ends or the listener is removed. */
  public void add(long jobId, Listener listener) {
    watched.compute(
        jobId,
        (id, current) -> {
          Map<Listener, Optional<JobSnapshot>> sent =
              current == null ? new ConcurrentHashMap<>() : current;
          sent.put(listener, Optional.empty());
          return sent;
        });
    on(new JobChanged(jobId));
  }

  public void remove(long jobId, Listener listener) {
    watched.computeIfPresent(
        jobId,
        (id, sent) -> {
          sent.remove(listener);
          return sent.isEmpty() ? null : sent;
        });
  }

  /** The number of watched jobs. */
  int size() {
    return watched.size();
  }

  @Bean
  static ClusterEvent.Kind jobNews() {
    return new ClusterEvent.Kind("jobs", JobChanged.class, JobChanged::ofLine);
  }

  /** The job may have changed. Notifications of other servers may be lost; see the poll. */
  @EventListener
  void on(JobChanged event) {
    if (watched.containsKey(event.jobId()) && changed.add(event.jobId())) {
      readerThread.execute(this::readChanged);
    }
  }

  private void poll() {
    changed.addAll(watched.keySet());
    readerThread.execute(this::readChanged);
    if (++polls % POLLS_A_BEAT == 0) {
      readerThread.execute(
          () -> watched.values().forEach(sent -> sent.keySet().forEach(Listener::beat)));
    }
  }

  private void readChanged() {
    List<Long> ids = new ArrayList<>(changed);
    ids.forEach(changed::remove); // before the read: a later change is read again
    if (ids.isEmpty()) {
      return;
    }
    try {
      Map<Long, JobSnapshot> snapshots = reader.apply(ids);
      snapshots.forEach(this::publish);
      ids.stream().filter(id -> !snapshots.containsKey(id)).forEach(this::endAll); // deleted
    } catch (RuntimeException e) {
      log.debug("reading watched jobs failed, trying again in a second: {}", e.toString());
    }
  }

  private void publish(long jobId, JobSnapshot snapshot) {
    listenersOf(jobId).forEach((listener, last) -> publish(jobId, listener, last, snapshot));
  }

  private Map<Listener, Optional<JobSnapshot>> listenersOf(long jobId) {
    return watched.getOrDefault(jobId, Map.of());
  }

  private void publish(
      long jobId, Listener listener, Optional<JobSnapshot> last, JobSnapshot snapshot) {
    boolean isNew = last.filter(snapshot::sameAs).isEmpty();
    if (isNew && listenersOf(jobId).replace(listener, last, Optional.of(snapshot))) {
      listener.tell(snapshot);
    }
    if (snapshot.hasEnded()) {
      end(jobId, listener);
    }
  }

  private void endAll(long jobId) {
    listenersOf(jobId).keySet().forEach(listener -> end(jobId, listener));
  }

  private void end(long jobId, Listener listener) {
    listener.end();
    remove(jobId, listener);
  }

  @Override
  public void destroy() {
    polling.close();
    readerThread.shutdownNow();
  }
}
