package io.asyncflow.bench.measure;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Standings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Nothing may grow while the load stays the same.
 *
 * @param serverMiB by which flowsvr's live heap may grow
 * @param workerMiB the same of the clients and the worker
 */
public record SoakMeasure(double serverMiB, double workerMiB) implements Measure<SoakRun> {

  /** Threads and connections of a pool come and go. */
  private static final double FEW = 5;

  private static final int BARS = 12;

  @Override
  public String inWords(SoakRun run, int seconds) {
    return String.format(
        Locale.ROOT,
        "%.0f/s of %.0f/s, live heap %.1f MiB at the end",
        run.donePerSecond(),
        run.capacity(),
        run.last().server().liveMiB());
  }

  @Override
  public String table(Standings<SoakRun> standings) {
    StringBuilder table = new StringBuilder();
    table.append("| s | done | rolls | tables | flowsvr: live MiB | threads | files ");
    table.append("| worker: live MiB | threads | files | connections | open tables |\n");
    table.append("|---:".repeat(12)).append("|\n");
    for (SoakSample sample : run(standings).samples()) {
      table.append(
          String.format(
              Locale.ROOT,
              "| %.0f | %d | %d | %d | %.2f | %d | %d | %.2f | %d | %d | %d | %d |%n",
              sample.seconds(),
              sample.done(),
              sample.rolls(),
              sample.tables(),
              sample.server().liveMiB(),
              sample.server().threads(),
              sample.server().files(),
              sample.worker().liveMiB(),
              sample.worker().threads(),
              sample.worker().files(),
              sample.connections(),
              sample.openTables()));
    }
    return table.toString();
  }

  @Override
  public BarChart chart(Standings<SoakRun> standings) {
    List<SoakSample> samples = run(standings).samples();
    List<String> names = new ArrayList<>();
    List<Double> server = new ArrayList<>();
    List<Double> worker = new ArrayList<>();
    int step = (samples.size() + BARS - 1) / BARS;
    for (int i = 0; i < samples.size(); i += step) {
      names.add(String.format(Locale.ROOT, "%.0f s", samples.get(i).seconds()));
      server.add(samples.get(i).server().liveMiB());
      worker.add(samples.get(i).worker().liveMiB());
    }
    Map<String, List<Double>> series = new LinkedHashMap<>();
    series.put("flowsvr", server);
    series.put("clients and worker", worker);
    return new BarChart("MiB of live heap", names, series);
  }

  @Override
  public List<Finding> findings(Standings<SoakRun> standings) {
    SoakRun run = run(standings);
    return List.of(
        Finding.of(
            "soak: done of what was to be created",
            String.format(Locale.ROOT, "%.0f/s of %.0f/s", run.donePerSecond(), run.wanted())),
        Finding.of(
            "soak: rolls, and tables left at the end",
            String.format(Locale.ROOT, "%d, %d", run.last().rolls(), run.last().tables())),
        atMost(serverMiB, "live heap of flowsvr", run.growth(s -> s.server().liveMiB()), "MiB"),
        atMost(workerMiB, "live heap of the worker", run.growth(s -> s.worker().liveMiB()), "MiB"),
        atMost(FEW, "threads of flowsvr", run.growth(s -> s.server().threads()), "more"),
        atMost(FEW, "open files of flowsvr", run.growth(s -> s.server().files()), "more"),
        atMost(FEW, "connections to the database", run.growth(SoakSample::connections), "more"));
  }

  private static Finding atMost(double wanted, String what, double growth, String unit) {
    return Finding.atMost(wanted, "soak: growth of the " + what, growth, unit);
  }

  private static SoakRun run(Standings<SoakRun> standings) {
    return standings.results().get(0);
  }
}
