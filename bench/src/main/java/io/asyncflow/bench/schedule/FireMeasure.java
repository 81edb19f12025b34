package io.asyncflow.bench.schedule;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.measure.Latency;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The sooner after the fire time, the better, and each fire once.
 *
 * @param limits what is aimed at for ourselves
 * @param peers with as many schedules; the first contender's starts are judged by the best of them
 * @param timesBestPeer how many times the best peer's p99 is admissible
 */
public record FireMeasure(
    List<Limit> limits, List<? extends Contender<FireRun>> peers, double timesBestPeer)
    implements Measure<FireRun> {

  /**
   * @param millis from the fire time to when a run can be held that are admissible, p99
   */
  public record Limit(Contender<FireRun> subject, double millis) {}

  public FireMeasure {
    limits = List.copyOf(limits);
    peers = List.copyOf(peers);
  }

  @Override
  public String inWords(FireRun result, int schedules) {
    return String.format(
        Locale.ROOT,
        "start p50 / p99 / max %s ms, %d missed, %d doubled",
        percentiles(result.starts(), " / "),
        result.missed(),
        result.doubled());
  }

  @Override
  public String table(Standings<FireRun> standings) {
    StringBuilder table = new StringBuilder("| ms after the fire time | holdable: p50 | p99 | max");
    table.append(" | handler starts: p50 | p99 | max | fires | missed | doubled | early |\n");
    table.append("|---|").append("---:|".repeat(10)).append("\n");
    return table.append(standings.rows(FireRun::all, FireMeasure::row)).toString();
  }

  @Override
  public BarChart chart(Standings<FireRun> standings) {
    List<String> names = new ArrayList<>();
    Map<String, List<Double>> series = new LinkedHashMap<>();
    List.of("p50", "p99", "max").forEach(name -> series.put(name, new ArrayList<>()));
    for (Contender<FireRun> contender : standings.contest().contenders()) {
      names.add(contender.name());
      Histogram starts = all(standings, contender).starts();
      series.get("p50").add(Latency.percentile(starts, 50));
      series.get("p99").add(Latency.percentile(starts, 99));
      series.get("max").add(Latency.percentile(starts, 100));
    }
    return new BarChart("ms from the fire time to the start", names, series);
  }

  @Override
  public List<Finding> findings(Standings<FireRun> standings) {
    List<Finding> findings = new ArrayList<>();
    for (Contender<FireRun> contender : standings.contest().contenders()) {
      FireRun all = all(standings, contender);
      String name = "fires: " + contender.name() + ", ";
      if (all.holdable().getTotalCount() > 0) {
        findings.add(
            Finding.of(
                name + "holdable − fire time, p50 / p99 / max",
                percentiles(all.holdable(), " / ") + " ms"));
      }
      findings.add(
          Finding.of(
              name + "start − fire time, p50 / p99 / max",
              percentiles(all.starts(), " / ") + " ms"));
      if (limits.stream().noneMatch(limit -> limit.subject() == contender)) {
        findings.add(Finding.of(name + "missed / doubled", all.missed() + " / " + all.doubled()));
      }
    }
    for (Limit limit : limits) {
      FireRun all = all(standings, limit.subject());
      String name = "fires: " + limit.subject().name() + ", ";
      findings.add(
          Finding.atMost(
              limit.millis(),
              name + "holdable − fire time, p99",
              Latency.percentile(all.holdable(), 99),
              "ms"));
      findings.add(Finding.atMost(0, name + "missed, doubled or early", faults(all), "fires"));
    }
    peers.stream()
        .min(Comparator.comparingDouble(peer -> p99(standings, peer)))
        .ifPresent(best -> findings.add(againstPeer(standings, best)));
    return findings;
  }

  private Finding againstPeer(Standings<FireRun> standings, Contender<FireRun> best) {
    Contender<FireRun> subject = standings.contest().contenders().get(0);
    return Finding.atMost(
        timesBestPeer,
        "fires: " + subject.name() + ", start − fire time, p99 against " + best.name(),
        p99(standings, subject) / p99(standings, best),
        "×");
  }

  private static int faults(FireRun run) {
    return run.missed() + run.doubled() + run.early();
  }

  private static double p99(Standings<FireRun> standings, Contender<FireRun> contender) {
    return Latency.percentile(all(standings, contender).starts(), 99);
  }

  private static FireRun all(Standings<FireRun> standings, Contender<FireRun> contender) {
    return FireRun.all(standings.resultsOf(contender));
  }

  private static String row(String name, FireRun run) {
    return String.format(
        Locale.ROOT,
        "| %s | %s | %s | %d | %d | %d | %d |%n",
        name,
        run.holdable().getTotalCount() == 0 ? "– | – | –" : percentiles(run.holdable(), " | "),
        percentiles(run.starts(), " | "),
        run.starts().getTotalCount(),
        run.missed(),
        run.doubled(),
        run.early());
  }

  private static String percentiles(Histogram micros, String between) {
    String format = String.join(between, "%.1f", "%.1f", "%.1f");
    return Latency.format(format, micros, 50, 99, 100);
  }
}
