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
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class FireMeasureTest {

  private static final CpuUse QUIET = new CpuUse(1, 0, true, Map.of());

  private final Contender<FireRun> ours = named("ours");
  private final Contender<FireRun> slow = named("slow peer");
  private final Contender<FireRun> fast = named("fast peer");
  private final FireMeasure measure =
      new FireMeasure(List.of(new FireMeasure.Limit(ours, 1000)), List.of(slow, fast), 0.5);

  @Test
  void weAreJudgedByTheBestPeerAndByEachFireThatWasNotStartedOnce() {
    Standings<FireRun> standings =
        standings(
            new FireRun(ms(0, 20), ms(10, 100), 1, 2, 0),
            new FireRun(ms(), ms(3000, 5000), 0, 0, 0),
            new FireRun(ms(), ms(300, 400), 4, 5, 0));

    assertThat(measure.findings(standings))
        .contains(
            Finding.of("fires: fast peer, missed / doubled", "4 / 5"),
            new Finding(
                "fires: ours, holdable − fire time, p99", "≤ 1000.00 ms", "20.02 ms", "met"),
            new Finding(
                "fires: ours, missed, doubled or early", "≤ 0.00 fires", "3.00 fires", "MISSED"),
            new Finding(
                "fires: ours, start − fire time, p99 against fast peer",
                "≤ 0.50 ×",
                "0.25 ×",
                "met"));
    assertThat(measure.table(standings))
        .contains("| **ours** | 0.0 | 20.0 | 20.0 | 10.0 | 100.0 | 100.0 | 2 | 1 | 2 | 0 |")
        .contains("| **slow peer** | – | – | – | 3");
    assertThat(measure.chart(standings).names()).containsExactly("ours", "slow peer", "fast peer");
  }

  private Standings<FireRun> standings(FireRun... runs) {
    Contest<FireRun> contest =
        new Contest<>(Part.SCHEDULES, "fires", 2, List.of(ours, slow, fast), measure);
    List<Lap<FireRun>> laps =
        List.of(runs).stream().map(run -> new Lap<>("any", 2, run, QUIET)).toList();
    return new Standings<>(contest, List.of(new Round<>(laps)), 0, false);
  }

  private static Histogram ms(int... millis) {
    Histogram micros = new Histogram(3);
    for (int each : millis) {
      micros.recordValue(each * 1000L);
    }
    return micros;
  }

  private static Contender<FireRun> named(String name) {
    return new Contender<>() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public FireRun run(int units) {
        throw new UnsupportedOperationException();
      }
    };
  }
}
