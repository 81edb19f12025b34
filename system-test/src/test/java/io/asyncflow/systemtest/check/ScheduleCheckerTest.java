package io.asyncflow.systemtest.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.systemtest.history.ScheduleAudit;
import io.asyncflow.systemtest.history.ScheduleAudit.Fire;
import io.asyncflow.systemtest.history.ScheduleAudit.Gap;
import io.asyncflow.systemtest.history.ScheduleAudit.Run;
import io.asyncflow.systemtest.history.ScheduleAudit.Schedule;
import io.asyncflow.systemtest.invariant.Invariant;
import io.asyncflow.systemtest.invariant.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The checker finds what is wrong in rows about schedules, and finds nothing else. */
class ScheduleCheckerTest {

  private static final long EVERY = 1_000;
  private static final long SAVED = 100_500;
  private static final long EPOCH = 7;
  private static final Set<Invariant> BROKEN = EnumSet.noneOf(Invariant.class);

  private final List<Fire> fires = new ArrayList<>();
  private final List<Gap> gaps = new ArrayList<>();
  private final List<Run> runs = new ArrayList<>();
  private Overlap overlap = Overlap.ALLOW;
  private long next = 105_000;
  private long now = 105_000;
  private long calmUntil = Long.MAX_VALUE;

  @AfterAll
  static void everyInvariantHasRowsThatBreakIt() {
    assertThat(BROKEN)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(Invariant.values()).filter(Invariant::isOfSchedules).toList());
  }

  private void fired(long time) {
    fired(time, time, EPOCH, "a");
  }

  private void fired(long time, long makeTime, long epoch, String node) {
    String run = time + "_x_task_1";
    fires.add(
        new Fire(1, time, FireOutcome.CREATED, false, makeTime, run, node, epoch, makeTime + 100));
    runs.add(new Run(run, 1, time, true, false, time, null));
  }

  private void without(long time, FireOutcome outcome) {
    fires.add(new Fire(1, time, outcome, false, time, null, "a", EPOCH, null));
  }

  private List<Violation> violations() {
    Schedule schedule =
        new Schedule(
            1,
            "s",
            5,
            ScheduleState.ACTIVE,
            null,
            "UTC",
            EVERY,
            0L,
            null,
            null,
            null,
            overlap,
            next,
            null,
            SAVED,
            SAVED,
            calmUntil);
    return new ScheduleChecker(Duration.ofSeconds(10))
        .check(new ScheduleAudit(now, List.of(schedule), fires, gaps, runs, Map.of(5, EPOCH)));
  }

  private void assertBreaks(Invariant invariant) {
    BROKEN.add(invariant);
    assertThat(violations()).extracting(Violation::invariant).isNotEmpty().containsOnly(invariant);
  }

  @Test
  void fireTimesWithAFateEachAreRight() {
    fired(101_000, 100_600, 6, "b");
    fired(102_000, 101_000, EPOCH, "a");
    without(103_000, FireOutcome.WITHDRAWN);
    gaps.add(new Gap(1, 103_000, 103_000));
    without(104_000, FireOutcome.SKIPPED);
    assertThat(violations()).isEmpty();
  }

  @Test
  void fireTimeWithoutAFateIsFound() {
    fired(101_000);
    fired(102_000);
    fired(104_000);
    assertBreaks(Invariant.ONE_FATE_A_FIRE_TIME);
  }

  @Test
  void withdrawnFireThatNeverCameAgainIsFound() {
    fired(101_000);
    without(102_000, FireOutcome.WITHDRAWN);
    fired(103_000);
    fired(104_000);
    assertBreaks(Invariant.ONE_FATE_A_FIRE_TIME);
  }

  @Test
  void fireInAGapIsFound() {
    fired(101_000);
    next = 102_000;
    gaps.add(new Gap(1, 101_000, 101_000));
    assertBreaks(Invariant.ONE_FATE_A_FIRE_TIME);
  }

  @Test
  void fireBesideThePlanIsFound() {
    fired(101_000);
    fired(101_500);
    next = 102_000;
    assertBreaks(Invariant.ONE_FATE_A_FIRE_TIME);
  }

  @Test
  void silentScheduleIsFound() {
    next = 101_000;
    now = 111_001;
    assertBreaks(Invariant.ONE_FATE_A_FIRE_TIME);
  }

  @Test
  void runWithoutAFireIsFound() {
    fired(101_000);
    next = 102_000;
    runs.add(new Run("8_x_task_1", 1, 101_000, false, false, 0, null));
    assertBreaks(Invariant.ONE_RUN_A_FIRE);
    runs.set(1, new Run("8_x_task_1", 1, 101_000, true, true, 0, null));
    assertThat(violations()).as("it was withdrawn").isEmpty();
  }

  @Test
  void fireWithoutItsRunIsFound() {
    fired(101_000);
    next = 102_000;
    runs.clear();
    assertBreaks(Invariant.ONE_RUN_A_FIRE);
  }

  @Test
  void runThatIsHeldBeforeItsTimeIsFound() {
    fired(101_000);
    next = 102_000;
    runs.set(0, new Run("101000_x_task_1", 1, 101_000, false, false, 100_999, null));
    assertBreaks(Invariant.FIRES_RISE);
  }

  @Test
  void fireThatIsMadeBeforeAnEarlierOneIsFound() {
    fired(101_000, 100_900, EPOCH, "a");
    fired(102_000, 100_800, EPOCH, "a");
    next = 103_000;
    assertBreaks(Invariant.FIRES_RISE);
    calmUntil = 100_850;
    assertThat(violations()).as("it was withdrawn and made again").isEmpty();
  }

  @Test
  void epochThatFallsIsFound() {
    fired(101_000, 100_600, EPOCH, "a");
    fired(102_000, 101_000, 6, "b");
    next = 103_000;
    assertBreaks(Invariant.SLICE_EPOCHS_RISE);
  }

  @Test
  void epochWithTwoOwnersIsFound() {
    fired(101_000, 100_600, EPOCH, "a");
    fired(102_000, 101_000, EPOCH, "b");
    next = 103_000;
    assertBreaks(Invariant.SLICE_EPOCHS_RISE);
  }

  @Test
  void runThatBeginsBeforeTheLastHasEndedIsFound() {
    overlap = Overlap.SKIP;
    fired(101_000, 101_000, EPOCH, "a");
    fired(102_000, 101_050, EPOCH, "a");
    next = 103_000;
    assertBreaks(Invariant.ONE_RUN_AT_A_TIME);
  }
}
