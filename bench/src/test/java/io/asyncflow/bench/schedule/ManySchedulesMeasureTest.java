package io.asyncflow.bench.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Contest;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Lap;
import io.asyncflow.bench.contest.Round;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.resource.CpuUse;
import io.asyncflow.bench.schedule.ManySchedules.Quiet;
import io.asyncflow.bench.schedule.ManySchedules.Run;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ManySchedulesMeasureTest {

  private static final CpuUse IDLE = new CpuUse(1, 0, true, Map.of());
  private static final Quiet WITHOUT = new Quiet(4, 0.01, 0);

  private final ManySchedulesMeasure measure = new ManySchedulesMeasure(2, 3, 60, 100);

  @Test
  void statementsAreThoseOfOneServerBeyondThoseWithoutSchedules() {
    Standings<Run> standings =
        standings(
            new Run(100, Duration.ofSeconds(50), page(5), new Quiet(8, 0.02, 0), WITHOUT),
            new Run(200, Duration.ofSeconds(90), page(200), new Quiet(12, 0.04, 3), WITHOUT));

    assertThat(measure.findings(standings))
        .containsExactly(
            Finding.of(
                "schedules, none due: CPU of a server, without / with", "1.00 / 3.00 % of a core"),
            new Finding(
                "schedules, none due: database, a server, more than without",
                "≤ 3.00 statements/s",
                "3.00 statements/s",
                "met"),
            new Finding("schedules: saveAll of 100", "≤ 60.00 s", "70.00 s", "MISSED"),
            new Finding("schedules: page, p95", "≤ 100.00 ms", "200.06 ms", "MISSED"));
    assertThat(measure.table(standings))
        .contains("| 0 | | | | | | 4.00 | 1.00 | 0 |")
        .contains("| 200 | 100 | 90.0 | 200.1 | 200.1 | 200.1 | 12.00 | 4.00 | 3 |");
    assertThat(measure.chart(standings).names())
        .containsExactly("no schedule", "100 schedules", "200 schedules");
  }

  private Standings<Run> standings(Run... runs) {
    Contest<Run> contest =
        new Contest<>(Part.SCHEDULES, "schedules", 100, List.of(new Named()), measure);
    List<Round<Run>> rounds =
        Stream.of(runs).map(run -> new Round<>(List.of(new Lap<>("any", 100, run, IDLE)))).toList();
    return new Standings<>(contest, rounds, 0, false);
  }

  private static Histogram page(int millis) {
    Histogram micros = new Histogram(3);
    micros.recordValue(millis * 1000L);
    return micros;
  }

  private static final class Named implements Contender<Run> {
    @Override
    public String name() {
      return "schedules";
    }

    @Override
    public Run run(int units) {
      throw new UnsupportedOperationException();
    }
  }
}
