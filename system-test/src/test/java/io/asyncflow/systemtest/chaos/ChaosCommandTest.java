package io.asyncflow.systemtest.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.systemtest.chaos.ChaosRun.Outcome;
import io.asyncflow.systemtest.chaos.ChaosSchedules.Findings;
import io.asyncflow.systemtest.check.Verdict;
import io.asyncflow.systemtest.evidence.Executions;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.invariant.Invariant;
import io.asyncflow.systemtest.invariant.Violation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class ChaosCommandTest {

  @Test
  void headlineIsTheDefault() {
    ChaosPlan plan = plan();
    assertThat(plan).isEqualTo(ChaosPlan.of(5_000, plan.seed()));
  }

  @Test
  void everyOptionIsHeeded() {
    assertThat(
            plan(
                "--minutes=7",
                "--tasks=9",
                "--jobs=4",
                "--schedules=5",
                "--seed",
                "-3",
                "--servers=1",
                "--workers=2"))
        .isEqualTo(new ChaosPlan(9, 4, 5, -3, 1, 2, Duration.ofMinutes(7)));
    assertThat(plan("--jobs", "0").jobs()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--task=1",
        "--tasks=many",
        "--tasks",
        "--workers=0",
        "--seed=x",
        "--kill-node=true",
        "help"
      })
  void whatCannotBeReadIsRefused(String argument) {
    assertThatThrownBy(() -> plan(argument)).isInstanceOf(ParameterException.class);
  }

  @Test
  void ownDatabaseIsThatOfTheUrlAndTheEnvironment() {
    ChaosCommand chaos =
        chaos("--mysql", "jdbc:mysql://one,two:3307", "--kill-node", "docker restart -s KILL two");

    assertThat(chaos.given())
        .contains(new DatabaseEndpoint("given", List.of("one:3306", "two:3307"), "me", "secret"));
    assertThat(chaos.killNode()).contains("docker restart -s KILL two");
    assertThat(chaos().given()).isEmpty();
    assertThat(chaos("--mysql=jdbc:mysql://one").killNode()).isEmpty();
  }

  @Test
  void faultsThatAnOwnDatabaseLeavesOutAreNamed() {
    assertThat(chaos("--mysql=jdbc:mysql://one").leftOut())
        .containsExactly(
            Disaster.DATABASE_KILLED,
            Disaster.DATABASE_STOPPED,
            Disaster.DATABASE_TERMINATED,
            Disaster.NODE_KILLED);
    assertThat(chaos("--mysql=jdbc:mysql://one", "--kill-node=true").leftOut())
        .doesNotContain(Disaster.NODE_KILLED);
  }

  private static ChaosPlan plan(String... arguments) {
    return chaos(arguments).plan();
  }

  private static ChaosCommand chaos(String... arguments) {
    ChaosCommand chaos =
        new ChaosCommand(Map.of("FLOW_MYSQL_USER", "me", "FLOW_MYSQL_PASSWORD", "secret"));
    new CommandLine(chaos).parseArgs(arguments);
    return chaos;
  }

  @Test
  void lastLineCountsTheTasksOfBothTypesAndSchedules() {
    Outcome outcome =
        outcome(
            verdict(Invariant.HEALED_MEANS_DRAINED),
            verdict(Invariant.CREATED_IS_FINISHED, Invariant.HEALED_MEANS_DRAINED));

    assertThat(ChaosCommand.lastLine(outcome))
        .isEqualTo(
            "1 lost, 0 phantom, 0 duplicate committed results, 0 stale reports accepted, 2 stuck, 1"
                + " fires doubled, 0 without a fate");
  }

  private static Verdict verdict(Invariant... violated) {
    return new Verdict(
        1,
        new Executions(0, 0, 0, 0),
        Stream.of(violated).map(one -> new Violation(one, "a task", "what it did")).toList());
  }

  private static Outcome outcome(Verdict verdict, Verdict onDefaults) {
    return new Outcome(
        verdict,
        onDefaults,
        new Findings(
            1, 1, Duration.ZERO, List.of(new Violation(Invariant.ONE_RUN_A_FIRE, "s", "doubled"))),
        Map.of(),
        0,
        Duration.ZERO,
        Map.of(),
        new Audit.Position(1, 1),
        Path.of(""));
  }
}
