package io.asyncflow.systemtest.fault.load;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.systemtest.chaos.ChaosPlan;
import io.asyncflow.systemtest.chaos.ChaosRun;
import io.asyncflow.systemtest.chaos.ChaosRun.Outcome;
import io.asyncflow.systemtest.evidence.Executions;
import io.asyncflow.systemtest.measure.Figures;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All faults at once, from a seed; {@code ./asyncflow chaos} is the long form. */
@Tag("faults")
@Timeout(600)
class ChaosIT {

  private static final long SEED = Long.getLong("asyncflow.test.seed", 20_250_101);
  private static final int TASKS = Integer.getInteger("asyncflow.test.tasks", 5_000);

  @Test
  void nothingIsLostOrDoneTwiceWhenEverythingBreaks() {
    Outcome outcome = new ChaosRun(ChaosPlan.of(TASKS, SEED).on(2, 3), System.out::println).run();
    Executions executions = outcome.verdict().executions();
    Figures.print(
        "chaos with seed %d: %d tasks, %s of jobs among them, in %.0f s under %s; of %d executions"
            + " %d were repeated, %d were in flight at a fault; %d fires of schedules beside them",
        SEED,
        outcome.verdict().tasks(),
        outcome.jobs(),
        seconds(outcome.elapsed()),
        outcome.disasters(),
        executions.all(),
        executions.repeated(),
        executions.inFlight(),
        outcome.fires());
    assertThat(outcome.verdict().violations()).as("with seed " + SEED).isEmpty();
    assertThat(executions.repeatedWithoutFault()).as("with seed " + SEED).isZero();
    assertThat(outcome.verdictOnDefaults().violations()).as("with seed " + SEED).isEmpty();
    assertThat(outcome.violationsOfSchedules()).as("with seed " + SEED).isEmpty();
    assertThat(outcome.isClean()).as("with seed " + SEED).isTrue();
  }
}
