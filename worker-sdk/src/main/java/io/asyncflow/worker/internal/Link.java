package io.asyncflow.worker.internal;

import java.util.HashSet;
import java.util.Set;

/**
 * The way to flowsvr as all loops of a worker find it. When it is cut, each of them meets that; the
 * first one says so, and the last one that it is over.
 *
 * <p>Thread-safe.
 */
final class Link {

  private final Set<OutageLog> cut = new HashSet<>();

  /** No answer came; {@code true} for the first one that says so. */
  synchronized boolean cut(OutageLog loop) {
    boolean first = cut.isEmpty();
    cut.add(loop);
    return first;
  }

  /** It answered; {@code true} for the last one that has waited for it. */
  synchronized boolean mended(OutageLog loop) {
    return cut.remove(loop) && cut.isEmpty();
  }
}
