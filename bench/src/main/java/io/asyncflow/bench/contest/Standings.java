package io.asyncflow.bench.contest;

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
public record Standings<R>(
    Contest<R> contest, List<Round<R>> rounds, int dropped, boolean disturbed) {

  public Standings {
    rounds = List.copyOf(rounds);
  }

  /** Seconds of a processor that each process used for one unit of a contender's work: medians. */
  public Map<String, Double> cpuPerUnit(Contender<?> contender) {
    List<Lap<R>> laps = lapsOf(contender);
    Map<String, Double> medians = new LinkedHashMap<>();
    for (String process : laps.get(0).cpu().ownSeconds().keySet()) {
      medians.put(
          process,
          Median.of(
              laps.stream()
                  .map(lap -> lap.cpu().ownSeconds().get(process) / lap.units())
                  .toList()));
    }
    return medians;
  }

  /** A contender's part of each round. */
  public List<Lap<R>> lapsOf(Contender<?> contender) {
    int place = contest.contenders().indexOf(contender);
    return rounds.stream().map(round -> round.laps().get(place)).toList();
  }

  /** A contender's results, a round each. */
  public List<R> resultsOf(Contender<?> contender) {
    return lapsOf(contender).stream().map(Lap::result).toList();
  }
}
