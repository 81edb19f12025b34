package io.asyncflow.bench;

import io.asyncflow.dev.EngineException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The main class behind {@code ./asyncflow bench}.
 *
 * <p>Exit codes: 0 done, 1 failed, 2 not understood.
 */
public final class Bench {

  private final BenchOptions options;
  private final Checkout checkout;
  private final PrintStream out;

  Bench(BenchOptions options, Checkout checkout, PrintStream out) {
    this.options = options;
    this.checkout = checkout;
    this.out = out;
  }

  /**
   * Runs the bench.
   *
   * @param arguments see {@code ./asyncflow bench --help}
   */
  public static void main(String[] arguments) throws Exception {
    List<String> words = List.of(arguments);
    if (words.contains("--help")) {
      System.out.print(BenchOptions.USAGE);
      return;
    }
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try {
      BenchOptions options = BenchOptions.parse(words, System.getenv());
      new Bench(options, Checkout.current(), out).run();
    } catch (UsageException e) {
      System.err.println("asyncflow: " + e.getMessage());
      System.exit(2);
    } catch (EngineException e) {
      System.err.println("asyncflow: " + e.getMessage());
      System.exit(1);
    }
  }

  /** Holds the contests, writes the report and prints it. */
  Report run() throws Exception {
    out.println("Starting the database and flowsvr ...");
    try (TestBed bed = TestBed.open(options, checkout)) {
      Conditions conditions = Conditions.of(bed, checkout, options);
      out.println(conditions.markdown());
      Referee referee = new Referee(options.rounds(), bed.cpuMeter(), out);
      List<Standings<?>> standings = new ArrayList<>();
      if (options.contests().contains(BenchOptions.LIVES)) {
        standings.add(referee.hold(lives(bed)));
      }
      if (options.contests().contains(BenchOptions.CREATES)) {
        standings.add(referee.hold(creates(bed)));
      }
      // Last, when flowsvr is warm: the first tasks of a cold JVM are another subject.
      if (options.contests().contains(BenchOptions.LATENCY)) {
        standings.add(referee.hold(latency(bed)));
      }
      Report report = new Report(conditions, standings);
      publish(report);
      return report;
    }
  }

  private Contest<Duration> lives(TestBed bed) throws Exception {
    return new Contest<>(
        "Whole lives: " + options.lives() + " tasks created, held, finished",
        options.lives(),
        List.of(new RawBatchLives(bed.rawTable("raw_life")), new FlowLives(bed)),
        new PerSecond("lives"));
  }

  private Contest<Duration> creates(TestBed bed) throws Exception {
    return new Contest<>(
        "Single creates: " + options.creates() + " tasks, one by one",
        options.creates(),
        List.of(new RawSingleCreates(bed.rawTable("raw_create")), new FlowSingleCreates(bed)),
        new PerSecond("creates"));
  }

  private Contest<Histogram> latency(TestBed bed) {
    return new Contest<>(
        "Create to start: " + options.arrivals() + " random arrivals on an idle system",
        options.arrivals(),
        List.of(new CreateToStart(bed)),
        new Latency());
  }

  private void publish(Report report) throws Exception {
    Path file =
        options.report() != null ? options.report() : checkout.benchTarget().resolve("bench.md");
    Files.createDirectories(file.getParent());
    Files.writeString(file, report.markdown());
    out.println();
    out.print(report.markdown());
    out.println();
    out.println("Report: " + file);
  }
}
