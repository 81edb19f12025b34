package io.asyncflow.bench;

import java.util.List;

/** Each contender once, one after the other, in the order of the contest. */
record Round<R>(List<Lap<R>> laps) {

  Round {
    laps = List.copyOf(laps);
  }

  /** Whether anybody else was so busy that the comparison is unfair. */
  boolean disturbed() {
    return laps.stream().anyMatch(lap -> lap.cpu().disturbed());
  }
}
