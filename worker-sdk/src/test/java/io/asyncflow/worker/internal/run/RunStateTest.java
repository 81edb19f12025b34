package io.asyncflow.worker.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.HandDriven;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;
import io.asyncflow.worker.internal.run.RunState.Event;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Walks every transition of a run; the last word of this class is that none was left out. */
class RunStateTest {

  private static final Set<Transition<RunState, Event>> VISITED = new LinkedHashSet<>();

  private final HandDriven worker = new HandDriven();

  @AfterEach
  void remember() {
    VISITED.addAll(worker.transitions);
  }

  @AfterAll
  static void everyTransitionIsVisited() {
    assertThat(VISITED).containsExactlyInAnyOrderElementsOf(RunState.TABLE.all());
  }

  @Test
  void aResultIsReportedAndAccepted() {
    Run run = worker.heldRun(context -> StageResult.done());
    worker.work(run);
    assertThat(run.state()).isEqualTo(RunState.REPORTING);
    worker.sendReports();
    assertThat(run.state()).isEqualTo(RunState.SETTLED);
  }

  @Test
  void aThrowIsExplained() {
    Run run =
        worker.heldRun(
            context -> {
              throw new NonRetryableException("no");
            });
    worker.work(run);
    assertThat(run.state()).isEqualTo(RunState.REPORTING);
  }

  @Test
  void aQueuedRunCanBeReleasedLostOrCancelled() {
    Run released = worker.heldRun(context -> StageResult.done());
    worker.ends.release(released, "a test");
    Run lost = worker.heldRun(context -> StageResult.done());
    worker.server.steal(lost.task().taskId());
    Run cancelled = worker.heldRun(context -> StageResult.done());
    worker.server.cancelTask(cancelled.task().taskId());
    worker.beat();
    assertThat(lost.state()).isEqualTo(RunState.SETTLED);
    assertThat(cancelled.state()).isEqualTo(RunState.SETTLED);
    assertThat(released.state()).isEqualTo(RunState.REPORTING);
  }

  @Test
  void aWorkingRunCanBeLostOrCancelled() {
    Run lost =
        worker.heldRun(
            context -> {
              worker.server.steal(context.taskId());
              worker.beat();
              throw new InterruptedException();
            });
    worker.work(lost);
    assertThat(lost.state()).isEqualTo(RunState.SETTLED);

    Run cancelled =
        worker.heldRun(
            context -> {
              worker.server.cancelTask(context.taskId());
              worker.beat();
              throw new InterruptedException();
            });
    worker.work(cancelled);
    assertThat(cancelled.state()).isEqualTo(RunState.SETTLED);
  }

  @Test
  void aWorkingRunCanTimeOutOrBeShutDown() {
    Run[] late = new Run[1];
    late[0] =
        worker.heldRun(
            context -> {
              worker.watchAt(late[0].lease().deadline());
              throw new InterruptedException();
            });
    late[0].renew(worker.ticker.nanos(), 30_000);
    worker.work(late[0]);
    assertThat(late[0].state()).isEqualTo(RunState.REPORTING);

    Run[] stopped = new Run[1];
    stopped[0] =
        worker.heldRun(
            context -> {
              stopped[0].stop(StopCause.SHUT_DOWN, worker.ticker.nanos());
              throw new InterruptedException();
            });
    worker.work(stopped[0]);
    assertThat(stopped[0].state()).isEqualTo(RunState.REPORTING);
  }

  @Test
  void aRefusedReportIsExplainedOrDropped() {
    worker.server.refuseObjects(ErrorCode.TOO_LARGE);
    Run tooLarge = worker.heldRun(context -> StageResult.done("x".repeat(5000)));
    worker.work(tooLarge);
    worker.sender.storeOnce();
    assertThat(tooLarge.state()).isEqualTo(RunState.REPORTING);
    worker.sendReports();
    assertThat(tooLarge.state()).isEqualTo(RunState.SETTLED);

    Run stolen = worker.heldRun(context -> StageResult.done());
    worker.work(stolen);
    worker.server.steal(stolen.task().taskId());
    worker.sendReports();
    assertThat(stolen.state()).isEqualTo(RunState.SETTLED);
  }

  @Test
  void aReportIsGivenUpAfterTenMinutes() {
    Run run = worker.heldRun(context -> StageResult.done());
    worker.server.refuseReports(report -> true, ErrorCode.UNAVAILABLE);
    worker.work(run);
    worker.sendReports();
    assertThat(run.state()).isEqualTo(RunState.REPORTING);
    worker.ticker.advance(Duration.ofMinutes(10));
    worker.sendReports();
    assertThat(run.state()).isEqualTo(RunState.SETTLED);
  }

  @Test
  void whatIsNotInTheTableThrows() {
    Set<Event> events = EnumSet.allOf(Event.class);
    for (RunState state : RunState.values()) {
      for (Event event : events) {
        boolean listed =
            RunState.TABLE.all().stream().anyMatch(t -> t.from() == state && t.on() == event);
        if (!listed) {
          assertThatThrownBy(() -> RunState.TABLE.take(state, event))
              .isInstanceOf(IllegalStateException.class);
        }
      }
    }
  }

  @Test
  void whatIsSettledStaysSettled() {
    assertThat(RunState.TABLE.all()).noneMatch(t -> t.from() == RunState.SETTLED);
  }
}
