package io.asyncflow.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static final CpuUse QUIET = new CpuUse(0.1, 0.05, true, Map.of("flowsvr", 0.2));

  @Test
  void theRatioIsThatOfTheMedians() {
    Standings<Duration> lives =
        new Standings<>(
            livesOf(1000),
            List.of(round(100, 400), round(200, 500), round(900, 600)), // ms a contender
            0,
            false);

    Report report = new Report(new Conditions(Map.of("cores", "2")), List.of(lives));

    assertThat(report.findings())
        .containsExactly(new Finding("lives/s: ours against raw", "0.40 ×"));
    assertThat(report.markdown())
        .contains(
            "- cores: 2",
            "| raw | 10,000, 5,000, 1,111 | 5,000 | 1.00 |",
            "| ours | 2,500, 2,000, 1,667 | 2,000 | 0.40 |",
            "| CPU, µs each | flowsvr | sum |",
            "| ours | 200 | 200 |",
            "- round 3, ours: CPU unused 0.10, others 0.05 cores")
        .endsWith("| lives/s: ours against raw | 0.40 × |\n");
  }

  @Test
  void disturbedFiguresSaySo() {
    Standings<Duration> lives = new Standings<>(livesOf(1000), List.of(round(100, 400)), 0, true);

    Report report = new Report(new Conditions(Map.of()), List.of(lives));

    assertThat(report.markdown()).contains("DISTURBED").endsWith("0.25 × (disturbed) |\n");
  }

  @Test
  void latenciesOfAllRoundsAreOneDistribution() {
    Contest<Histogram> contest =
        new Contest<>("start", 100, List.of(named("create to start")), new Latency());
    Round<Histogram> fast = new Round<>(List.of(new Lap<>("create to start", ms(1, 50), QUIET)));
    Round<Histogram> slow = new Round<>(List.of(new Lap<>("create to start", ms(51, 100), QUIET)));
    Standings<Histogram> standings = new Standings<>(contest, List.of(fast, slow), 0, false);

    Report report = new Report(new Conditions(Map.of()), List.of(standings));

    Finding finding = report.findings().get(0);
    assertThat(finding.what()).isEqualTo("create to start, p50 / p99 / max");
    assertThat(finding.value()).startsWith("50.").endsWith(" ms");
  }

  private static Contest<Duration> livesOf(int units) {
    return new Contest<>("lives", units, List.of(named("raw"), named("ours")), perSecond());
  }

  private static PerSecond perSecond() {
    return new PerSecond("lives");
  }

  private static Round<Duration> round(int rawMillis, int ourMillis) {
    return new Round<>(
        List.of(
            new Lap<>("raw", Duration.ofMillis(rawMillis), QUIET),
            new Lap<>("ours", Duration.ofMillis(ourMillis), QUIET)));
  }

  private static Histogram ms(int from, int to) {
    Histogram histogram = new Histogram(3);
    IntStream.rangeClosed(from, to).forEach(ms -> histogram.recordValue(ms * 1000L));
    return histogram;
  }

  private static <R> Contender<R> named(String name) {
    return new Contender<>() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public R run(int units) {
        throw new UnsupportedOperationException();
      }
    };
  }
}
