package io.asyncflow.console.page.overview;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.stats.Overview;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Operator;
import io.asyncflow.console.page.cluster.ClusterViews.Cluster;
import io.asyncflow.console.page.worker.Fleet;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Reads what the overview shows, and keeps what each operator saw last, for when the server cannot
 * read its database. Thread-safe.
 */
final class Snapshots {

  private static final int MOST_KEPT = 100;

  /** Longer, it would be a picture of another time. */
  private static final Duration KEPT = Duration.ofHours(1);

  private final Calls calls;
  private final InstantSource clock;
  private final Map<Viewer, Kept> last =
      new LinkedHashMap<>(MOST_KEPT, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Viewer, Kept> eldest) {
          return size() > MOST_KEPT;
        }
      };

  /** Whoever has the same name and rights sees the same. */
  private record Viewer(String principal, String kind, Set<String> roles, Set<String> verbs) {

    static Viewer of(Operator operator) {
      return new Viewer(operator.principal(), operator.kind(), operator.roles(), operator.verbs());
    }
  }

  /**
   * @param since by this server's clock, which is not the database's
   */
  private record Kept(Snapshot snapshot, long since) {}

  /**
   * @param isStale whether the server could not read it now
   */
  record Seen(Snapshot snapshot, boolean isStale) {}

  Snapshots(Calls calls, InstantSource clock) {
    this.calls = calls;
    this.clock = clock;
  }

  /**
   * What there is now, or else what the operator saw last.
   *
   * @throws FlowException if there is neither
   */
  Seen look(Frame frame) {
    Viewer viewer = Viewer.of(frame.operator());
    try {
      Snapshot now = read(frame);
      synchronized (last) {
        last.put(viewer, new Kept(now, clock.millis()));
      }
      return new Seen(now, false);
    } catch (FlowException refused) {
      Snapshot before = refused.retryable() ? lastOf(viewer) : null;
      if (before == null) {
        throw refused;
      }
      return new Seen(before, true);
    }
  }

  private Snapshot lastOf(Viewer viewer) {
    synchronized (last) {
      Kept before = last.get(viewer);
      boolean isKnown = before != null && clock.millis() - before.since() < KEPT.toMillis();
      return isKnown ? before.snapshot() : null;
    }
  }

  private Snapshot read(Frame frame) {
    return new Snapshot(
        calls.shared(Overview.class, "/api/stats/overview"),
        ifSeen(frame.may("WORKER_READ"), () -> Fleet.read(calls)),
        ifSeen(
            frame.may("GOVERN_READ"), () -> calls.shared(Cluster.class, "/api/governance/status")));
  }

  /** The rest of the page is of use without what lies outside of an operator's scope. */
  private static <T> T ifSeen(boolean may, Supplier<T> call) {
    if (!may) {
      return null;
    }
    try {
      return call.get();
    } catch (FlowException refused) {
      if (refused.retryable()) {
        throw refused;
      }
      return null;
    }
  }
}
