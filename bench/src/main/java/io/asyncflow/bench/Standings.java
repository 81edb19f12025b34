package io.asyncflow.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

  /** Seconds of a processor that each process used for one unit of a contender's work: medians. */
  Map<String, Double> cpuPerUnit(int contender) {
    List<CpuUse> uses = rounds.stream().map(round -> round.laps().get(contender).cpu()).toList();
    Map<String, Double> medians = new LinkedHashMap<>();
    for (String process : uses.get(0).ownSeconds().keySet()) {
      double seconds = Median.of(uses.stream().map(use -> use.ownSeconds().get(process)).toList());
      medians.put(process, seconds / contest.units());
    }
    return medians;
  }

  /** A contender's results, a round each. */
  List<R> resultsOf(int contender) {
    return rounds.stream().map(round -> round.laps().get(contender).result()).toList();
  }
}
