package io.asyncflow.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Contest;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Lap;
import io.asyncflow.bench.contest.Round;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.measure.Comparison;
import io.asyncflow.bench.measure.Latency;
import io.asyncflow.bench.measure.Latency.Limit;
import io.asyncflow.bench.measure.PerSecond;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.resource.CpuUse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static final CpuUse QUIET = new CpuUse(0.1, 0.05, true, Map.of("flowsvr", 0.2));

  private final Contender<Duration> raw = named("raw", "as fast as can be");
  private final Contender<Duration> ours = named("ours", "");

  @Test
  void theRatioIsThatOfTheMedians() {
    Standings<Duration> lives =
        new Standings<>(
            livesOf(1000, 0.3),
            List.of(round(100, 400), round(200, 500), round(900, 600)), // ms a contender
            0,
            false);

    Report report = new Report(new Conditions(Map.of("cores", "2")), List.of(lives), List.of());

    assertThat(report.findings())
        .containsExactly(new Finding("lives/s: ours against raw", "≥ 0.30 ×", "0.40 ×", "met"));
    assertThat(report.markdown(Map.of(lives.contest(), "bench-lives.png")))
        .contains(
            "- cores: 2",
            "- raw: as fast as can be",
            "![lives](bench-lives.png)",
            "| raw | 10,000, 5,000, 1,111 | 5,000 | 1.00 | 1,000 |",
            "| ours | 2,500, 2,000, 1,667 | 2,000 | 0.40 | 1,000 |",
            "| CPU, µs each | flowsvr | sum |",
            "| ours | 200 | 200 |",
            "- round 3, second: CPU unused 0.10, others 0.05 cores")
        .endsWith("| lives/s: ours against raw | ≥ 0.30 × | 0.40 × | met |\n");
  }

  @Test
  void aContenderThatDidLessIsJudgedByItsRate() {
    Round<Duration> round =
        new Round<>(
            List.of(
                new Lap<>("raw", 1000, Duration.ofSeconds(1), QUIET),
                new Lap<>("ours", 250, Duration.ofSeconds(1), QUIET)));
    Standings<Duration> lives = new Standings<>(livesOf(1000, 0.5), List.of(round), 0, false);

    Report report = new Report(new Conditions(Map.of()), List.of(lives), List.of());

    assertThat(report.findings())
        .containsExactly(new Finding("lives/s: ours against raw", "≥ 0.50 ×", "0.25 ×", "MISSED"));
    assertThat(report.markdown(Map.of())).contains("| ours | 250 | 250 | 0.25 | 250 |");
  }

  @Test
  void disturbedFiguresSaySo() {
    Standings<Duration> lives =
        new Standings<>(livesOf(1000, 0), List.of(round(100, 400)), 0, true);

    Report report = new Report(new Conditions(Map.of()), List.of(lives), List.of());

    assertThat(report.markdown(Map.of()))
        .contains("DISTURBED", "| lives/s: ours against raw | 0.25 × | (disturbed) |\n");
  }

  @Test
  void latenciesOfAllRoundsAreOneDistribution() {
    Contender<Histogram> idle = named("idle", "");
    Contender<Histogram> busy = named("busy", "");
    Contest<Histogram> contest =
        new Contest<>(
            Part.LATENCY,
            "start",
            100,
            List.of(idle, busy),
            new Latency(
                "start", List.of(Limit.millis(idle, 99, 50), Limit.times(busy, 99, 1.5, idle))));
    Standings<Histogram> standings =
        new Standings<>(
            contest,
            List.of(round(ms(1, 50), ms(1, 50)), round(ms(51, 100), ms(51, 100))),
            0,
            false);

    Report report =
        new Report(
            new Conditions(Map.of()), List.of(standings), List.of(Finding.of("memory", "1 MiB")));

    assertThat(report.findings())
        .extracting(Finding::what, Finding::target, Finding::verdict)
        .containsExactly(
            tuple("start: idle, p50 / p99 / max", "", ""),
            tuple("start: busy, p50 / p99 / max", "", ""),
            tuple("start: idle, p99", "≤ 50.00 ms", "MISSED"),
            tuple("start: busy, p99 against idle", "≤ 1.50 ×", "met"),
            tuple("memory", "", ""));
    assertThat(report.findings().get(0).figure()).startsWith("50.").endsWith(" ms");
  }

  private Contest<Duration> livesOf(int units, double wanted) {
    return new Contest<>(
        Part.LIVES,
        "lives",
        units,
        List.of(raw, ours),
        new PerSecond("lives", List.of(new Comparison(ours, raw, wanted))));
  }

  private static Round<Duration> round(int rawMillis, int ourMillis) {
    return round(Duration.ofMillis(rawMillis), Duration.ofMillis(ourMillis));
  }

  private static <R> Round<R> round(R first, R second) {
    return new Round<>(
        List.of(new Lap<>("first", 1000, first, QUIET), new Lap<>("second", 1000, second, QUIET)));
  }

  private static Histogram ms(int from, int to) {
    Histogram histogram = new Histogram(3);
    IntStream.rangeClosed(from, to).forEach(ms -> histogram.recordValue(ms * 1000L));
    return histogram;
  }

  private static <R> Contender<R> named(String name, String conditions) {
    return new Contender<>() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public String conditions() {
        return conditions;
      }

      @Override
      public R run(int units) {
        throw new UnsupportedOperationException();
      }
    };
  }
}
