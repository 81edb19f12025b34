package io.asyncflow.worker.internal.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.worker.internal.report.ReportState.Event;
import io.asyncflow.worker.internal.run.RunState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What happens to a report in each state, and what must not happen. */
class ReportStateTest {

  private static final long NOW = Duration.ofMinutes(1).toNanos();
  private static final Duration WAIT = Duration.ofSeconds(1);
  private static final Report SUCCESS = report(Outcome.SUCCESS, "ready");

  /** Remembers how the report ended. */
  private static final class Ends implements ReportOrigin {

    final List<String> ends = new ArrayList<>();

    @Override
    public long reportBy() {
      return Long.MAX_VALUE;
    }

    @Override
    public void accepted() {
      ends.add("accepted");
    }

    @Override
    public void dropped(RunState.Event how) {
      ends.add("dropped " + how);
    }

    @Override
    public void explained() {
      ends.add("explained");
    }
  }

  private final Ends ends = new Ends();

  private static Report report(Outcome outcome, String result) {
    return Report.of("1_lark_task_1", "w", 1, outcome).withReportId("r").withResult(result);
  }

  private PendingReport fresh() {
    return PendingReport.fresh(ends, SUCCESS);
  }

  /** One report for each state in which a report waits. */
  private Map<ReportState, PendingReport> pending() {
    Map<ReportState, PendingReport> reports = new EnumMap<>(ReportState.class);
    reports.put(ReportState.NEW, fresh());
    reports.put(ReportState.READY, fresh().unsettledByHold());
    reports.put(ReportState.STRANDED, fresh().cutOff(NOW, WAIT));
    reports.put(ReportState.FAILING, fresh().failed(NOW, WAIT));
    return reports;
  }

  /** What the sender does on each event; {@code null} if the report has ended. */
  private static final Map<Event, UnaryOperator<PendingReport>> ACTS =
      Map.of(
          Event.LEFT_BY_HOLD,
          PendingReport::unsettledByHold,
          Event.CUT_OFF,
          report -> report.cutOff(NOW, WAIT),
          Event.FAILED,
          report -> report.failed(NOW, WAIT),
          Event.HURRIED,
          PendingReport::hurried,
          Event.ANSWERED,
          ended(PendingReport::accepted),
          Event.GIVEN_UP,
          ended(PendingReport::givenUp));

  private static UnaryOperator<PendingReport> ended(Consumer<PendingReport> end) {
    return report -> {
      end.accept(report);
      return null;
    };
  }

  @Test
  void eachEventDoesInEachStateWhatTheTableSays() {
    pending()
        .forEach(
            (state, report) -> {
              assertThat(report.state()).isEqualTo(state);
              ACTS.forEach((event, act) -> assertThatTheTableHolds(report, event, act));
            });
  }

  private static void assertThatTheTableHolds(
      PendingReport report, Event event, UnaryOperator<PendingReport> act) {
    Optional<ReportState> next =
        ReportState.TABLE.all().stream()
            .filter(row -> row.from() == report.state() && row.on() == event)
            .map(row -> row.to())
            .findFirst();
    if (next.isEmpty()) {
      assertThatThrownBy(() -> act.apply(report)).isInstanceOf(IllegalStateException.class);
    } else {
      PendingReport after = act.apply(report);
      assertThat(after == null ? ReportState.SETTLED : after.state()).isEqualTo(next.get());
    }
  }

  @Test
  void theTableNamesEachStateAndEventAndNothingFollowsTheEnd() {
    assertThat(ReportState.TABLE.all())
        .extracting(row -> row.on())
        .contains(Event.values())
        .hasSize(15);
    assertThat(ReportState.TABLE.all())
        .extracting(row -> row.from())
        .containsOnly(
            ReportState.NEW, ReportState.READY, ReportState.STRANDED, ReportState.FAILING);
  }

  @Test
  void onlyANewReportGoesWithAHold() {
    assertThat(pending().values())
        .filteredOn(PendingReport::piggybackable)
        .extracting(PendingReport::state)
        .containsExactly(ReportState.NEW);
    assertThat(PendingReport.fresh(ends, report(Outcome.RELEASE, null)).state())
        .as("the hold would get the task again")
        .isEqualTo(ReportState.READY);
    assertThat(PendingReport.fresh(ends, report(Outcome.SUCCESS, "x".repeat(5_000))).state())
        .as("its text goes into the store first")
        .isEqualTo(ReportState.READY);
  }

  @Test
  void whatIsStoredStaysWhereItStands() {
    Report light = report(Outcome.SUCCESS, "light");
    pending()
        .forEach(
            (state, report) -> {
              assertThat(report.stored(light).state()).isEqualTo(state);
              assertThat(report.stored(light).report()).isEqualTo(light);
            });
  }

  @Test
  void whatAnEarlierProcessLeftBehindIsStrandedAndWaitsForNothing() {
    PendingReport left = PendingReport.leftBehind(SUCCESS);
    assertThat(left.stranded()).isTrue();
    assertThat(left.notBefore()).isZero();
  }

  @Test
  void itFailsSinceTheFirstFailureThatWasItsOwn() {
    long later = NOW + WAIT.toNanos();
    PendingReport twice = fresh().failed(NOW, WAIT).failed(later, WAIT);
    assertThat(twice.failures()).isEqualTo(2);
    assertThat(twice.notBefore()).isEqualTo(later + WAIT.toNanos());
    assertThat(twice.failingFor(WAIT, later)).isTrue();

    PendingReport cutOff = twice.cutOff(later, WAIT);
    assertThat(cutOff.failingFor(Duration.ZERO, later)).isFalse();
    assertThat(cutOff.failures()).isEqualTo(3);
    assertThat(cutOff.failed(later, WAIT).failingFor(WAIT, later))
        .as("it begins anew after an outage")
        .isFalse();
  }

  @Test
  void anOutageThatIsOverEndsTheWaitAndForgetsNoFailure() {
    PendingReport hurried = fresh().cutOff(NOW, WAIT).hurried();
    assertThat(hurried.notBefore()).isZero();
    assertThat(hurried.failures()).isEqualTo(1);
  }

  @Test
  void itsOriginLearnsHowItEnded() {
    fresh().accepted();
    fresh().refused();
    fresh().failed(NOW, WAIT).givenUp();
    PendingReport explanation = fresh().replaced(report(Outcome.FAIL, null));
    assertThat(ends.ends)
        .containsExactly("accepted", "dropped REFUSED", "dropped GIVEN_UP", "explained");
    assertThat(explanation.state()).isEqualTo(ReportState.NEW);
    assertThat(explanation.report().outcome()).isEqualTo(Outcome.FAIL);
  }
}
