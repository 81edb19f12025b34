package io.asyncflow.bench.contest;

import java.util.List;

/** Each contender once, one after the other, in the order of the contest. */
public record Round<R>(List<Lap<R>> laps) {

  public Round {
    laps = List.copyOf(laps);
  }

  /** Whether anybody else was so busy that the comparison is unfair. */
  boolean disturbed() {
    return laps.stream().anyMatch(lap -> lap.cpu().disturbed());
  }
}
