package io.asyncflow.flowsvr.hold;

import io.asyncflow.flowsvr.due.HoldKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Repeated deliveries of a hold: a client that lost an answer repeats its call with the same holdId
 * and gets the same answer. This class is one line's memory of answered holds; {@code t_hold}
 * decides.
 *
 * <p>Thread-safe.
 */
final class Redelivery {

  /** The most answered holds that are remembered. */
  private static final int REMEMBERED = 1_000;

  private final Set<HoldKey> answered = new LinkedHashSet<>();

  /**
   * Whether the hold was answered with tasks lately, so that {@code t_hold} should be read at once.
   */
  synchronized boolean isLikelyRepeat(WaitingHold waiting) {
    return waiting.hold.isRepeatable() && answered.contains(waiting.hold.key());
  }

  /** Remembers that the hold is answered with tasks. */
  synchronized void remember(WaitingHold waiting) {
    if (waiting.hold.isRepeatable()
        && answered.add(waiting.hold.key())
        && answered.size() > REMEMBERED) {
      answered.remove(answered.iterator().next());
    }
  }

  /** Groups the deliveries of each hold, in the order of the line. */
  static List<List<WaitingHold>> byCall(List<WaitingHold> line) {
    Map<Object, List<WaitingHold>> calls = new LinkedHashMap<>();
    for (WaitingHold waiting : line) {
      Object call = waiting.hold.isRepeatable() ? waiting.hold.key() : waiting;
      calls.computeIfAbsent(call, c -> new ArrayList<>()).add(waiting);
    }
    Collection<List<WaitingHold>> values = calls.values();
    return List.copyOf(values);
  }
}
