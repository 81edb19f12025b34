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
 * Deliveries of the same hold: a client that lost an answer repeats its call by the same holdId,
 * and is told the same. This is what one line remembers of it; {@code t_hold} decides.
 *
 * <p>Thread-safe.
 */
final class Redelivery {

  /** Holds that were given something and whose repeat would be told at once. */
  private static final int REMEMBERED = 1_000;

  private final Set<HoldKey> givenLately = new LinkedHashSet<>();

  /** Whether the hold was given something lately, so that it is worth a look what it was. */
  synchronized boolean isLikely(WaitingHold waiting) {
    return waiting.hold.isRepeatable() && givenLately.contains(waiting.hold.key());
  }

  /** The hold is given something. */
  synchronized void remember(WaitingHold waiting) {
    if (waiting.hold.isRepeatable()
        && givenLately.add(waiting.hold.key())
        && givenLately.size() > REMEMBERED) {
      givenLately.remove(givenLately.iterator().next());
    }
  }

  /** The deliveries of each hold, in the order of the line. */
  static List<List<WaitingHold>> byCall(List<WaitingHold> line) {
    Map<Object, List<WaitingHold>> calls = new LinkedHashMap<>();
    for (WaitingHold one : line) {
      Object call = one.hold.isRepeatable() ? one.hold.key() : one;
      calls.computeIfAbsent(call, c -> new ArrayList<>()).add(one);
    }
    Collection<List<WaitingHold>> all = calls.values();
    return List.copyOf(all);
  }
}
