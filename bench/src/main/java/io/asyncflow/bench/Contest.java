package io.asyncflow.bench;

import java.util.List;

/**
 * Some work, and the ways of doing it that are compared.
 *
 * @param title what is done, with its conditions
 * @param units how often it is done in a round
 * @param contenders the first one is the yardstick for the others
 * @param measure what makes a result a good one
 */
record Contest<R>(
    String title, int units, List<? extends Contender<R>> contenders, Measure<R> measure) {

  Contest {
    contenders = List.copyOf(contenders);
  }
}
