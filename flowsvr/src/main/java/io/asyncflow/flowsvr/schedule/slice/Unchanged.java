package io.asyncflow.flowsvr.schedule.slice;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * How long this server has seen a value of each slice without a change, by its monotonic clock. Not
 * thread-safe.
 *
 * <p>A time begins after the read that saw the value first, and ends before the read that saw it
 * last; so the value was certainly the same for at least that long.
 */
final class Unchanged {

  private record Seen(Object value, long sinceNanos) {}

  private final Map<Integer, Seen> seen = new HashMap<>();

  /**
   * Adds what a read has seen.
   *
   * @param value {@code null} to watch nothing
   * @param askedAt the clock before the read
   * @param readAt the clock after the read
   * @return for how many ns the value has been the same; 0 for a new value
   */
  long see(int slice, Object value, long askedAt, long readAt) {
    if (value == null) {
      seen.remove(slice);
      return 0;
    }
    Seen before = seen.get(slice);
    if (before == null || !Objects.equals(before.value, value)) {
      seen.put(slice, new Seen(value, readAt));
      return 0;
    }
    return Math.max(0, askedAt - before.sinceNanos);
  }

  void clear() {
    seen.clear();
  }
}
