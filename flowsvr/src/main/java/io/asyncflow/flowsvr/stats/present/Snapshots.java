package io.asyncflow.flowsvr.stats.present;

import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One value for all who look: each gets the last one, and the next one is read while somebody
 * looks. A caller waits only if there is none, or if nobody has looked for a while. Thread-safe.
 *
 * <p>A value is read again after two seconds, and not before twenty times the time that the last
 * read took: so reads take at most a twentieth of one connection's time.
 *
 * @param <T> an immutable value
 */
final class Snapshots<T> implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Snapshots.class);

  private static final long FRESH = Duration.ofSeconds(2).toNanos();
  private static final long STALE = Duration.ofSeconds(30).toNanos();
  private static final int REST = 20;

  private final Supplier<T> source;
  private final Node node;
  private final ExecutorService thread;
  private final AtomicBoolean isReading = new AtomicBoolean();
  private volatile Taken<T> last;
  private volatile long tried;

  Snapshots(String name, Supplier<T> source, Node node) {
    this.source = source;
    this.node = node;
    this.thread = DaemonThreads.pool(1, name);
  }

  private record Taken<T>(T value, long begun, long took) {

    long rest() {
      return Math.max(FRESH, REST * took);
    }

    boolean isStale(long now) {
      return now - begun > Math.max(STALE, 2 * rest());
    }
  }

  T current() {
    Taken<T> known = last;
    long now = node.nanoTime();
    if (known == null || known.isStale(now)) {
      return takenSince(known);
    }
    boolean isDue = now - known.begun() > known.rest() && now - tried > known.rest();
    if (isDue && isReading.compareAndSet(false, true)) {
      tried = now;
      thread.execute(this::readInBackground);
    }
    return known.value();
  }

  /** Of those who wait, one reads. */
  private synchronized T takenSince(Taken<T> known) {
    if (last == known) {
      read();
    }
    return last.value();
  }

  private void readInBackground() {
    try {
      read();
    } catch (RuntimeException e) {
      log.debug("numbers could not be read; the last ones are shown", e);
    } finally {
      isReading.set(false);
    }
  }

  private void read() {
    long begun = node.nanoTime();
    T value = source.get();
    last = new Taken<>(value, begun, node.nanoTime() - begun);
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
