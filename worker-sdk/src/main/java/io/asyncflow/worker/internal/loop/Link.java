package io.asyncflow.worker.internal.loop;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The way to flowsvr as all loops of a worker find it. When it is cut, each of them meets that; the
 * first one says so, and the last one that it is over.
 *
 * <p>Thread-safe.
 */
public final class Link {

  private final Set<OutageLog> cut = new HashSet<>();
  private final List<Runnable> mended = new CopyOnWriteArrayList<>();

  /** No answer came; {@code true} for the first one that says so. */
  synchronized boolean cut(OutageLog loop) {
    boolean first = cut.isEmpty();
    cut.add(loop);
    return first;
  }

  /** It answered; {@code true} for the last one that has waited for it. */
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

  /** It asks for nothing any more, so that nobody knows whether it would be answered. */
  synchronized void withdraw(OutageLog loop) {
    cut.remove(loop);
  }

  /** Whether all others get their answers. */
  public synchronized boolean isCutForNobodyBut(OutageLog loop) {
    return cut.stream().allMatch(loop::equals);
  }

  /** Calls {@code listener} whenever one who got no answer got one again. */
  public void whenMended(Runnable listener) {
    mended.add(listener);
  }
}
