package io.asyncflow.worker.internal.loop;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The state of the connection to flowsvr for all loops of a worker. During an outage every loop
 * fails; only the first one logs it, and only the last one logs its end.
 *
 * <p>Thread-safe.
 */
public final class Link {

  private final Set<OutageLog> cut = new HashSet<>();
  private final List<Runnable> mended = new CopyOnWriteArrayList<>();

  /** Records that the loop got no answer; {@code true} for the first such loop. */
  synchronized boolean cut(OutageLog loop) {
    boolean first = cut.isEmpty();
    cut.add(loop);
    return first;
  }

  /** Records that the loop got an answer; {@code true} for the last loop that had none. */
  boolean mended(OutageLog loop) {
    boolean last;
    synchronized (this) {
      if (!cut.remove(loop)) {
        return false;
      }
      last = cut.isEmpty();
    }
    mended.forEach(Runnable::run);
    return last;
  }

  /** The loop sends nothing any more, so its state is unknown. */
  synchronized void withdraw(OutageLog loop) {
    cut.remove(loop);
  }

  /** Whether no other loop is without answers. */
  public synchronized boolean othersAreConnected(OutageLog loop) {
    return cut.stream().allMatch(loop::equals);
  }

  /** Calls {@code listener} whenever a loop that was cut off gets an answer again. */
  public void whenMended(Runnable listener) {
    mended.add(listener);
  }
}
