package io.asyncflow.worker.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.worker.RunEnd;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.HandDriven;
import io.asyncflow.worker.internal.loop.LoggedLines;
import io.asyncflow.worker.internal.run.HandlerThread;
import io.asyncflow.worker.internal.run.Run;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What listeners are told of the ends of runs, and what they cannot spoil. */
class RunEndsTest {

  private final HandDriven worker = new HandDriven();
  private final List<RunEnd> told = new ArrayList<>();

  @BeforeEach
  void oneListenerFailsAndAnotherListens() {
    worker.ends.whenEnded(
        end -> {
          throw new NoClassDefFoundError("of the listener");
        });
    worker.ends.whenEnded(told::add);
  }

  @Test
  void aListenerThatFailsCostsNoReport() {
    try (LoggedLines log = new LoggedLines(RunEnds.class)) {
      worker.work(worker.heldRun(c -> StageResult.done()));
      assertThat(log.lines()).singleElement().asString().contains("of the listener");
    }
    worker.work(
        worker.heldRun(
            c -> {
              throw new IllegalStateException("x");
            }));
    worker.sendReports();

    assertThat(worker.server.accepted())
        .extracting(Report::outcome)
        .containsExactlyInAnyOrder(Outcome.SUCCESS, Outcome.RETRY);
    assertThat(worker.held.isEmpty()).isTrue();
    assertThat(told).extracting(RunEnd::outcome).containsExactly("success", "retry");
  }

  /**
   * It may stop the worker, and a stop waits for the reports that are queued, and for no others.
   */
  @Test
  void aListenerIsToldWhenTheReportIsQueued() {
    List<Integer> queued = new ArrayList<>();
    worker.ends.whenEnded(
        end -> {
          worker.sendReports();
          queued.add(worker.server.accepted().size());
        });
    worker.work(worker.heldRun(c -> StageResult.done()));
    worker.work(
        worker.heldRun(
            c -> {
              throw new IllegalStateException("x");
            }));
    worker.ends.timedOut(working());
    worker.ends.exited(working());
    assertThat(queued).containsExactly(1, 2, 3, 4);
  }

  private Run working() {
    Run run = worker.heldRun(c -> StageResult.done());
    assertThat(run.enter(HandlerThread.current())).isTrue();
    run.leave();
    return run;
  }

  public static final class Unwritable {
    public String getText() {
      throw new NoClassDefFoundError("text");
    }
  }

  /** In a batch nothing else would end the run. */
  @Test
  void resultThatCannotBeWrittenIsAFailure() {
    worker.ends.returned(working(), StageResult.done(new Unwritable()));
    worker.sendReports();
    assertThat(worker.server.accepted())
        .singleElement()
        .extracting(Report::outcome)
        .isEqualTo(Outcome.RETRY);
  }

  @Test
  void aListenerThatFailsKeepsNoRunThatIsLostOrCancelled() {
    Run lost = worker.heldRun(c -> StageResult.done());
    Run cancelled = worker.heldRun(c -> StageResult.done());
    worker.ends.lost(lost, "a test");
    worker.ends.cancelled(cancelled);

    assertThat(worker.held.isEmpty()).isTrue();
    assertThat(told).extracting(RunEnd::outcome).containsExactly("lost", "cancelled");
  }
}
