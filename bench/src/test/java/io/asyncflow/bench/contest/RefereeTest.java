package io.asyncflow.bench.contest;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.bench.measure.PerSecond;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.resource.CpuReading;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class RefereeTest {

  private final List<String> order = new ArrayList<>();
  private final List<String> closed = new ArrayList<>();
  private final List<Integer> shares = new ArrayList<>();
  private final List<Contender<Duration>> contenders = List.of(new Stub("A", 1), new Stub("B", 5));
  private final ScriptedCpu cpu = new ScriptedCpu();
  private boolean inEarnest = true;

  @Test
  void contendersTakeTurnsAndTheWarmUpDoesNotCount() throws Exception {
    Standings<Duration> standings = hold(2);

    assertThat(order).containsExactly("A", "B", "A", "B", "A", "B");
    assertThat(closed).containsExactly("A", "B");
    assertThat(standings.rounds()).hasSize(2);
    // The clock of the stub ticks with each run; 1 and 2 were the warm-up.
    assertThat(standings.resultsOf(contenders.get(0))).containsExactly(seconds(3), seconds(5));
    assertThat(standings.resultsOf(contenders.get(1))).containsExactly(seconds(4), seconds(6));
  }

  @Test
  void theWarmUpMayBeShorterAndASlowContenderDoesLess() throws Exception {
    Standings<Duration> standings = hold(1);

    assertThat(shares).containsExactly(5, 1, 10, 2);
    assertThat(standings.lapsOf(contenders.get(1)).get(0).units()).isEqualTo(2);
  }

  @Test
  void aDisturbedRoundIsRunAgain() throws Exception {
    cpu.disturbedRuns = List.of(4); // B in the first round that counts

    Standings<Duration> standings = hold(2);

    assertThat(standings.dropped()).isEqualTo(1);
    assertThat(standings.disturbed()).isFalse();
    assertThat(standings.resultsOf(contenders.get(0))).containsExactly(seconds(5), seconds(7));
  }

  @Test
  void whatIsNotInEarnestIsRunOnce() throws Exception {
    inEarnest = false;
    cpu.disturbedRuns = List.of(1, 2);

    Standings<Duration> standings = hold(1);

    assertThat(order).containsExactly("A", "B");
    assertThat(standings.disturbed()).isTrue();
  }

  @Test
  void aMachineThatIsNeverQuietEndsTheContestAndIsTold() throws Exception {
    cpu.disturbedRuns = List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);

    Standings<Duration> standings = hold(2);

    assertThat(standings.disturbed()).isTrue();
    assertThat(standings.rounds()).hasSize(4);
  }

  @Test
  void ofADatabaseThatIsNotOursNobodyKnowsWhoDisturbed() throws Exception {
    cpu.disturbedRuns = List.of(3, 4, 5, 6);
    cpu.ownIsAll = false;

    assertThat(hold(2).disturbed()).isFalse();
  }

  private Standings<Duration> hold(int rounds) throws Exception {
    Contest<Duration> contest =
        new Contest<>(Part.LIVES, "any", 5, 10, contenders, new PerSecond("things", List.of()));
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    return new Referee(rounds, inEarnest, cpu, nowhere).hold(contest);
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  /** Takes one second longer at each run of anybody. */
  private final class Stub implements Contender<Duration> {
    private final String name;
    private final int divisor;

    Stub(String name, int divisor) {
      this.name = name;
      this.divisor = divisor;
    }

    @Override
    public int share(int units) {
      return units / divisor;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public void close() {
      closed.add(name);
    }

    @Override
    public Duration run(int units) {
      order.add(name);
      shares.add(units);
      return seconds(order.size());
    }
  }

  /** Two cores, one second a run: half a core goes to somebody else in the disturbed runs. */
  private static final class ScriptedCpu implements Supplier<CpuReading> {
    private List<Integer> disturbedRuns = List.of();
    private boolean ownIsAll = true;
    private int readings;
    private long nanos;
    private long busy;
    private long own;

    @Override
    public CpuReading get() {
      boolean after = readings++ % 2 == 1;
      if (after) {
        nanos += 1_000_000_000L;
        own += 100;
        busy += disturbedRuns.contains(readings / 2) ? 150 : 100;
      }
      return new CpuReading(
          nanos, busy, 0, Map.of("own", new CpuReading.Own(1, own)), 100, ownIsAll);
    }
  }
}
