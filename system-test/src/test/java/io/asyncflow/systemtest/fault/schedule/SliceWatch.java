package io.asyncflow.systemtest.fault.schedule;

import io.asyncflow.systemtest.cluster.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Looks at the slices ten times a second, and notes epochs that fall or change their owner. */
final class SliceWatch implements AutoCloseable {

  private static final long PAUSE_MS = 100;

  private final Cluster cluster;
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final List<String> contradictions = new ArrayList<>();
  private Slices last;

  private SliceWatch(Cluster cluster) {
    this.cluster = cluster;
  }

  static SliceWatch on(Cluster cluster) {
    SliceWatch watch = new SliceWatch(cluster);
    watch.thread.scheduleWithFixedDelay(watch::look, 0, PAUSE_MS, TimeUnit.MILLISECONDS);
    return watch;
  }

  private synchronized void look() {
    try {
      Slices now = Slices.read(cluster);
      if (last != null) {
        contradictions.addAll(last.contradictions(now));
      }
      last = now;
    } catch (IllegalStateException e) {
      // The database is down; the slices are compared when it is back.
    }
  }

  /** What was wrong so far; empty if nothing was. */
  synchronized List<String> contradictions() {
    return List.copyOf(contradictions);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
