package io.asyncflow.bench;

import java.util.List;

/**
 * What a contest came to.
 *
 * @param rounds the rounds that count
 * @param dropped how many more were run and thrown away because somebody else was busy
 * @param disturbed whether the rounds that count are disturbed ones, for want of quiet ones
 */
record Standings<R>(Contest<R> contest, List<Round<R>> rounds, int dropped, boolean disturbed) {

  Standings {
    rounds = List.copyOf(rounds);
  }

  /** A contender's results, a round each. */
  List<R> resultsOf(int contender) {
    return rounds.stream().map(round -> round.laps().get(contender).result()).toList();
  }
}
