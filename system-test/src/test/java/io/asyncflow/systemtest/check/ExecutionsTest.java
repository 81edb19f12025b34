package io.asyncflow.systemtest.check;

import static io.asyncflow.systemtest.check.HistoryBuilder.history;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Outcome;
import io.asyncflow.systemtest.evidence.Executions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ExecutionsTest {

  private static final String TASK = "7_x_task_1";
  private static final Duration A_LEASE = Duration.ofMillis(3_100);

  private static HistoryBuilder aTaskThatRuns() {
    return history().created(TASK, "key-7").held(TASK, 1, "a", "0").ran(TASK, 1, "a");
  }

  private static HistoryBuilder andRunsAgain(HistoryBuilder history) {
    return history.later(A_LEASE).held(TASK, 2, "a", "0").ran(TASK, 2, "a").succeeded(TASK, 2, "1");
  }

  private static Executions of(HistoryBuilder history) {
    return history.judged().executions();
  }

  @Test
  void executionWhoseReportCountsIsNotRepeated() {
    HistoryBuilder history = aTaskThatRuns().handedOn(TASK, 1, "b", "1").held(TASK, 2, "b", "1");
    assertThat(of(history.ran(TASK, 2, "b"))).isEqualTo(new Executions(2, 0, 0, 0));
  }

  @Test
  void executionThatAFaultMetIsRepeated() {
    assertThat(of(andRunsAgain(aTaskThatRuns().broken()))).isEqualTo(new Executions(2, 1, 1, 0));
  }

  @Test
  void executionThatIsRepeatedWithoutAFaultIsToldApart() {
    assertThat(of(andRunsAgain(aTaskThatRuns()))).isEqualTo(new Executions(2, 1, 0, 1));
    assertThat(of(andRunsAgain(aTaskThatRuns().broken("somebody else"))))
        .isEqualTo(new Executions(2, 1, 0, 1));
  }

  @Test
  void executionThatAskedForAnotherIsNotRepeated() {
    assertThat(of(andRunsAgain(aTaskThatRuns().reported(TASK, 1, Outcome.RETRY))))
        .isEqualTo(new Executions(2, 0, 0, 0));
    assertThat(of(andRunsAgain(aTaskThatRuns().snoozed(TASK, 1, 100))))
        .isEqualTo(new Executions(2, 0, 0, 0));
  }
}
