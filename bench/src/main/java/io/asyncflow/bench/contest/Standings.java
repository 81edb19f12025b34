package io.asyncflow.bench.contest;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

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

  /** The results of a contest that has one contender, a round each. */
  public List<R> results() {
    return resultsOf(contest.contenders().get(0));
  }

  /** A row for each round of each contender, and one for all its rounds together. */
  public String rows(Function<List<R>, R> together, BiFunction<String, R, String> row) {
    StringBuilder rows = new StringBuilder();
    for (Contender<R> contender : contest.contenders()) {
      List<R> results = resultsOf(contender);
      for (int round = 0; round < results.size(); round++) {
        rows.append(row.apply(contender.name() + ", round " + (round + 1), results.get(round)));
      }
      rows.append(row.apply("**" + contender.name() + "**", together.apply(results)));
    }
    return rows.toString();
  }
}
