package io.asyncflow.bench.contest;

import io.asyncflow.bench.resource.CpuReading;
import io.asyncflow.bench.resource.CpuUse;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Runs contests: a warm-up round that is thrown away, since the JIT is busy with it, and then
 * interleaved rounds, so that a slow minute of the machine hits every contender.
 *
 * <p>A round in which somebody else took more than a third of a core is run again, up to as many
 * times as there are rounds. If the machine never gets quiet, the disturbed rounds count and are
 * said to be disturbed.
 */
public final class Referee {

  private final int rounds;
  private final boolean inEarnest;
  private final Supplier<CpuReading> cpu;
  private final PrintStream out;

  /**
   * @param rounds how many are to count, at least 1
   * @param inEarnest {@code false} for neither a warm-up nor repeated rounds: to see that it works
   * @param out where each lap is told as it ends
   */
  public Referee(int rounds, boolean inEarnest, Supplier<CpuReading> cpu, PrintStream out) {
    this.rounds = rounds;
    this.inEarnest = inEarnest;
    this.cpu = cpu;
    this.out = out;
  }

  public <R> Standings<R> hold(Contest<R> contest) throws Exception {
    try {
      return standings(contest);
    } finally {
      for (Contender<R> contender : contest.contenders()) {
        contender.close();
      }
    }
  }

  private <R> Standings<R> standings(Contest<R> contest) throws Exception {
    out.println();
    out.println(contest.title());
    if (inEarnest) {
      round("warm-up", contest, contest.warmUp());
    }
    int atMost = inEarnest ? 2 * rounds : rounds;
    List<Round<R>> quiet = new ArrayList<>();
    List<Round<R>> disturbed = new ArrayList<>();
    while (quiet.size() < rounds && quiet.size() + disturbed.size() < atMost) {
      int number = quiet.size() + disturbed.size() + 1;
      Round<R> round = round("round " + number, contest, contest.units());
      (round.disturbed() ? disturbed : quiet).add(round);
    }
    return quiet.isEmpty()
        ? new Standings<>(contest, disturbed, 0, true)
        : new Standings<>(contest, quiet, disturbed.size(), false);
  }

  private <R> Round<R> round(String label, Contest<R> contest, int units) throws Exception {
    List<Lap<R>> laps = new ArrayList<>();
    for (Contender<R> contender : contest.contenders()) {
      int share = contender.share(units);
      CpuReading before = cpu.get();
      R result = contender.run(share);
      CpuUse use = CpuUse.between(before, cpu.get());
      laps.add(new Lap<>(contender.name(), share, result, use));
      out.printf(
          Locale.ROOT,
          "  %-8s  %-48s %-38s %s; µs each: %s%n",
          label,
          contender.name(),
          contest.measure().inWords(result, share),
          use,
          use.microsEach(share));
    }
    return new Round<>(laps);
  }
}
