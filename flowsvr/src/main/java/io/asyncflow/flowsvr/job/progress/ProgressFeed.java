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

  private static final class Watched {
    final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    final Set<Listener> newcomers = ConcurrentHashMap.newKeySet();
    JobSnapshot lastSent;

    /** Adds the listener to the job's listeners, unless it was removed meanwhile. */
    Watched admit(Listener newcomer) {
      if (newcomers.remove(newcomer)) {
        listeners.add(newcomer);
      }
      return this;
    }
  }

  private final Function<Collection<Long>, Map<Long, JobSnapshot>> reader;
  private final Map<Long, Watched> watched = new ConcurrentHashMap<>();
  private final Set<Long> changed = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor readerThread;
  private final BackgroundLoop polling;
  private int polls;
  private volatile boolean closing;

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

  /**
   * Sends the listener the progress of this job until the job ends, the listener is removed, or
   * this server stops.
   */
  public void add(long jobId, Listener listener) {
    watched.compute(
        jobId,
        (id, current) -> {
          Watched job = current == null ? new Watched() : current;
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

  /** The number of watched jobs. */
  int size() {
    return watched.size();
  }

  @EventListener
  void on(JobsChanged event) {
    changed(event.jobIds());
  }

  /** These jobs may have changed. */
  void changed(Collection<Long> jobIds) {
    boolean any = false;
    for (long jobId : jobIds) {
      any |= watched.containsKey(jobId) && changed.add(jobId);
    }
    if (any) {
      readerThread.execute(this::readChanged);
    }
  }

  private void poll() {
    changed.addAll(watched.keySet());
    readerThread.execute(this::readChanged);
    if (++polls % POLLS_A_BEAT == 0) {
      readerThread.execute(
          () -> watched.values().forEach(job -> job.listeners.forEach(Listener::beat)));
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
    Watched job = watched.get(jobId);
    if (job == null) {
      return;
    }
    boolean isNew = !snapshot.sameAs(job.lastSent);
    job.lastSent = snapshot;
    if (isNew) {
      job.listeners.forEach(listener -> listener.tell(snapshot));
    }
    for (Listener newcomer : job.newcomers) {
      watched.computeIfPresent(jobId, (id, current) -> current.admit(newcomer));
      newcomer.tell(snapshot);
    }
    if (snapshot.hasEnded()) {
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

  /** Ends all streams; clients reconnect by themselves, to another server. */
  @EventListener(ContextClosedEvent.class)
  void endAll() {
    closing = true;
    watched.keySet().forEach(this::endAll);
  }

  @Override
  public void destroy() {
    polling.close();
    readerThread.shutdownNow();
  }
}
