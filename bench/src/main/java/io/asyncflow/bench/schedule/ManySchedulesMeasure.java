package io.asyncflow.bench.schedule;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Lap;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Median;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.measure.Latency;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * The less, the better.
 *
 * @param servers among which the statements are divided
 * @param statementsPerSecond of one server, beyond those without schedules, that are admissible
 * @param savingSeconds for the schedules of a round
 * @param pageMillis for a page, p95
 */
public record ManySchedulesMeasure(
    int servers, double statementsPerSecond, double savingSeconds, double pageMillis)
    implements Measure<ManySchedules.Run> {

  @Override
  public String inWords(ManySchedules.Run result, int schedules) {
    return String.format(
        Locale.ROOT,
        "saved in %.1f s, page p95 %.1f ms, %.2f statements/s",
        seconds(result),
        Latency.percentile(result.pages(), 95),
        result.quiet().statements());
  }

  @Override
  public String table(Standings<ManySchedules.Run> standings) {
    StringBuilder table =
        new StringBuilder("| schedules | saved | saving, s | page, ms: p50 | p95 | max |");
    table.append(" statements/s, all servers | % of a core, a server | slices moved |\n");
    table.append("|---:|").append("---:|".repeat(8)).append("\n");
    ManySchedules.Quiet without = standings.results().get(0).without();
    table.append("| 0 | | | | | |").append(cells(without));
    for (Lap<ManySchedules.Run> lap : laps(standings)) {
      ManySchedules.Run run = lap.result();
      table.append(
          String.format(
              Locale.ROOT,
              "| %,d | %,d | %.1f | %.1f | %.1f | %.1f |%s",
              run.there(),
              lap.units(),
              seconds(run),
              Latency.percentile(run.pages(), 50),
              Latency.percentile(run.pages(), 95),
              Latency.percentile(run.pages(), 100),
              cells(run.quiet())));
    }
    return table.toString();
  }

  @Override
  public BarChart chart(Standings<ManySchedules.Run> standings) {
    List<ManySchedules.Run> runs = standings.results();
    Map<String, Double> statements = new LinkedHashMap<>();
    statements.put("no schedule", runs.get(0).without().statements());
    for (ManySchedules.Run run : runs) {
      statements.put(
          String.format(Locale.ROOT, "%,d schedules", run.there()), run.quiet().statements());
    }
    return BarChart.of("statements/s while none is due", statements);
  }

  @Override
  public List<Finding> findings(Standings<ManySchedules.Run> standings) {
    List<ManySchedules.Run> runs = standings.results();
    String name = standings.contest().contenders().get(0).name();
    Histogram pages = Latency.together(runs.stream().map(ManySchedules.Run::pages).toList());
    double without = runs.get(0).without().cores();
    return List.of(
        Finding.of(
            name + ", none due: CPU of a server, without / with",
            String.format(
                Locale.ROOT,
                "%.2f / %.2f %% of a core",
                100 * without,
                100 * mean(runs, run -> run.quiet().cores()))),
        Finding.atMost(
            statementsPerSecond,
            name + ", none due: database, a server, more than without",
            // Duties that run once a minute make the rounds differ; all together are one.
            mean(runs, run -> run.quiet().statements() - run.without().statements()) / servers,
            "statements/s"),
        Finding.atMost(
            savingSeconds,
            name + ": saveAll of " + String.format(Locale.ROOT, "%,d", units(standings)),
            Median.of(runs.stream().map(ManySchedulesMeasure::seconds).toList()),
            "s"),
        Finding.atMost(pageMillis, name + ": page, p95", Latency.percentile(pages, 95), "ms"));
  }

  private static String cells(ManySchedules.Quiet quiet) {
    return String.format(
        Locale.ROOT,
        " %.2f | %.2f | %d |%n",
        quiet.statements(),
        100 * quiet.cores(),
        quiet.moves());
  }

  private static double seconds(ManySchedules.Run run) {
    return run.saving().toNanos() / 1e9;
  }

  private static double mean(
      List<ManySchedules.Run> runs, ToDoubleFunction<ManySchedules.Run> figure) {
    return runs.stream().mapToDouble(figure).average().orElseThrow();
  }

  private static int units(Standings<ManySchedules.Run> standings) {
    return laps(standings).get(0).units();
  }

  private static List<Lap<ManySchedules.Run>> laps(Standings<ManySchedules.Run> standings) {
    return standings.lapsOf(standings.contest().contenders().get(0));
  }
}
