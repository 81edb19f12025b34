package io.asyncflow.bench.contest;

import io.asyncflow.bench.option.Part;
import java.util.List;

/**
 * Some work, and the ways of doing it that are compared.
 *
 * @param part what it belongs to
 * @param key tells it from other contests, also of its part: in the names of files
 * @param title what is done, with its conditions
 * @param warmUp how often it is done in the round that does not count
 * @param units how often it is done in each other round
 * @param contenders the first one is the yardstick for the others
 * @param measure what makes a result a good one
 */
public record Contest<R>(
    Part part,
    String key,
    String title,
    int warmUp,
    int units,
    List<? extends Contender<R>> contenders,
    Measure<R> measure) {

  public Contest {
    contenders = List.copyOf(contenders);
  }

  /** The only one of its part, or the first. */
  public Contest(
      Part part,
      String title,
      int warmUp,
      int units,
      List<? extends Contender<R>> contenders,
      Measure<R> measure) {
    this(part, part.key(), title, warmUp, units, contenders, measure);
  }

  /** With a warm-up as long as any other round. */
  public Contest(
      Part part,
      String title,
      int units,
      List<? extends Contender<R>> contenders,
      Measure<R> measure) {
    this(part, title, units, units, contenders, measure);
  }
}
