package io.asyncflow.rules;

import static io.asyncflow.api.OnDuplicate.KEEP;
import static io.asyncflow.api.OnDuplicate.REPLACE;
import static io.asyncflow.api.OnDuplicate.RERUN;
import static io.asyncflow.api.OnDuplicate.SAME;
import static io.asyncflow.api.TaskStatus.CANCELLED;
import static io.asyncflow.api.TaskStatus.EXECUTING;
import static io.asyncflow.api.TaskStatus.FAILED;
import static io.asyncflow.api.TaskStatus.PAUSED;
import static io.asyncflow.api.TaskStatus.SUCCESS;
import static io.asyncflow.api.TaskStatus.WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.TaskStatus;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DuplicateCreateTest {

  private static final List<TaskStatus> FINAL = List.of(SUCCESS, FAILED, CANCELLED);

  private static CreateOutcome outcome(OnDuplicate onDuplicate, TaskStatus standing) {
    return DuplicateCreate.outcome(onDuplicate, false, standing, false).orElse(null);
  }

  @Test
  void sameComparesTheBodiesAndKeepDoesNot() {
    assertThat(DuplicateCreate.outcome(SAME, false, null, true)).contains(CreateOutcome.EXISTING);
    assertThat(outcome(SAME, null)).isNull();
    assertThat(outcome(KEEP, null)).isEqualTo(CreateOutcome.KEPT);
  }

  @Test
  void onlyAWaitingTaskIsReplaced() {
    assertThat(outcome(REPLACE, WAITING)).isEqualTo(CreateOutcome.REPLACED);
    assertThat(outcome(REPLACE, EXECUTING)).isEqualTo(CreateOutcome.KEPT);
    assertThat(outcome(REPLACE, PAUSED)).isEqualTo(CreateOutcome.KEPT);
    assertThat(outcome(REPLACE, null)).isEqualTo(CreateOutcome.KEPT);
    FINAL.forEach(end -> assertThat(outcome(REPLACE, end)).isEqualTo(CreateOutcome.KEPT));
  }

  @Test
  void onlyAFinalTaskIsRunAgainAndOneThatCannotWaitIsCreatedAnew() {
    FINAL.forEach(end -> assertThat(outcome(RERUN, end)).isEqualTo(CreateOutcome.RERUN));
    assertThat(outcome(RERUN, WAITING)).isEqualTo(CreateOutcome.KEPT);
    assertThat(outcome(RERUN, EXECUTING)).isEqualTo(CreateOutcome.KEPT);
    assertThat(outcome(RERUN, PAUSED)).isEqualTo(CreateOutcome.KEPT);
    assertThat(outcome(RERUN, null)).isEqualTo(CreateOutcome.CREATED);
  }

  @Test
  void keyUntilDoneIsFreeOnceItsTaskIsFinalOrGone() {
    for (OnDuplicate onDuplicate : OnDuplicate.values()) {
      for (TaskStatus end : FINAL) {
        assertThat(DuplicateCreate.outcome(onDuplicate, true, end, false))
            .contains(CreateOutcome.CREATED);
      }
      assertThat(DuplicateCreate.outcome(onDuplicate, true, null, true))
          .contains(CreateOutcome.CREATED);
      assertThat(DuplicateCreate.outcome(onDuplicate, true, WAITING, true))
          .isNotEqualTo(Optional.of(CreateOutcome.CREATED));
    }
  }

  @Test
  void statusIsNeededForAllButTheIdAlone() {
    assertThat(DuplicateCreate.needsStatus(SAME, false)).isFalse();
    assertThat(DuplicateCreate.needsStatus(KEEP, false)).isFalse();
    assertThat(DuplicateCreate.needsStatus(KEEP, true)).isTrue();
    assertThat(DuplicateCreate.needsStatus(REPLACE, false)).isTrue();
    assertThat(DuplicateCreate.needsStatus(RERUN, false)).isTrue();
  }
}
