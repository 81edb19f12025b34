package io.asyncflow.bench;

import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.contest.Contest;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Referee;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.option.BenchOptions;
import io.asyncflow.bench.option.Checkout;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.report.ChartFile;
import io.asyncflow.bench.report.Conditions;
import io.asyncflow.bench.report.Report;
import io.asyncflow.bench.resource.CpuReading;
import io.asyncflow.bench.resource.ServerMemory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** One run of the bench. */
final class Bench {

  private final BenchOptions options;
  private final Checkout checkout;
  private final PrintStream out;

  Bench(BenchOptions options, Checkout checkout, PrintStream out) {
    this.options = options;
    this.checkout = checkout;
    this.out = out;
  }

  /**
   * Holds the contests, writes the report and prints it; also of what there is when one fails.
   *
   * @throws Exception what ended the bench early
   */
  Report run() throws Exception {
    out.println("Starting the database and flowsvr ...");
    try (TestBed bed = TestBed.open(options, checkout)) {
      Conditions conditions = Conditions.of(bed, checkout, options);
      out.println(conditions.markdown());
      Contests contests = new Contests(bed, options, checkout, out);
      // A part may have processes of its own, so each reading asks which there are.
      Supplier<CpuReading> cpu = () -> bed.cpuMeter().get();
      Referee usual = new Referee(options.rounds(), !options.smoke(), cpu, out);
      Referee once = new Referee(1, false, cpu, out);
      List<Standings<?>> standings = new ArrayList<>();
      List<Finding> facts = new ArrayList<>();
      facts.add(Finding.of("memory of flowsvr at the start", memory(bed)));
      try {
        for (Part part : options.parts()) {
          for (Callable<Contest<?>> contest : contests.of(part)) {
            standings.add((part.once() ? once : usual).hold(contest.call()));
          }
        }
        facts.add(Finding.of("memory of flowsvr at the end", memory(bed)));
      } catch (Exception e) {
        facts.add(Finding.of("ENDED EARLY", e.toString()));
        publish(new Report(conditions, standings, facts));
        throw e;
      }
      Report report = new Report(conditions, standings, facts);
      publish(report);
      return report;
    }
  }

  private static String memory(TestBed bed) throws Exception {
    return ServerMemory.of(bed.serverPid()).toString();
  }

  private void publish(Report report) throws IOException {
    Path file = options.report().orElseGet(() -> checkout.benchTarget().resolve("bench.md"));
    Files.createDirectories(file.getParent());
    Map<Contest<?>, String> charts = new HashMap<>();
    String stem = file.getFileName().toString().replaceFirst("\\.[^.]*$", "");
    for (Standings<?> standings : report.standings()) {
      draw(standings, file.resolveSibling(stem + "-" + standings.contest().key() + ".png"))
          .ifPresent(name -> charts.put(standings.contest(), name));
    }
    String markdown = report.markdown(charts);
    Files.writeString(file, markdown);
    out.println();
    out.print(markdown);
    out.println();
    out.println("Report: " + checkout.relative(file));
  }

  /** A chart is worth having, and no reason to lose the figures for want of a font. */
  private <R> Optional<String> draw(Standings<R> standings, Path file) {
    Contest<R> contest = standings.contest();
    try {
      ChartFile.write(contest.measure().chart(standings), contest.title(), file);
      return Optional.of(file.getFileName().toString());
    } catch (IOException e) {
      out.println("No chart of " + contest.key() + ": " + e.getMessage());
      return Optional.empty();
    }
  }
}
