package io.asyncflow.flowsvr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CommandGeneratorTest {

  @Test
  void sameSeedMakesTheSameSequence() {
    assertThat(new CommandGenerator(5).sequence(200))
        .isEqualTo(new CommandGenerator(5).sequence(200))
        .isNotEqualTo(new CommandGenerator(6).sequence(200));
  }

  /** A generator that never gets into an interesting situation would find nothing. */
  @Test
  void everyInterestingAnswerIsGiven() {
    Set<String> seen = new TreeSet<>();
    for (long seed = 1; seed <= 20; seed++) {
      ModelDriver model = new ModelDriver();
      for (Command command : new CommandGenerator(seed).sequence(300)) {
        seen.addAll(interesting(command.sendTo(model)));
      }
      model.tasks().forEach(task -> seen.addAll(interesting(task)));
    }
    assertThat(seen)
        .contains(
            "held several",
            "beat EXTENDED",
            "beat LOST",
            "beat CANCEL",
            "report ACCEPTED",
            "report ALREADY_DONE",
            "report " + ErrorCode.LEASE_LOST.code(),
            "report " + ErrorCode.TRANSITION_NOT_ALLOWED.code(),
            "refused " + ErrorCode.NO_SUCH_TASK.code(),
            "refused " + ErrorCode.LEASE_LOST.code(),
            "refused " + ErrorCode.TRANSITION_NOT_ALLOWED.code(),
            "refused " + ErrorCode.IDEMPOTENCY_CONFLICT.code(),
            "status 1",
            "status 2",
            "status 4",
            "status 8",
            "status 16",
            "status 32",
            "worker lost",
            "timed out",
            "poison",
            "exhausted",
            "second table");
  }

  private static List<String> interesting(Answer answer) {
    if (answer instanceof Answer.Held held) {
      return held.tasks().size() > 1 ? List.of("held several") : List.of();
    }
    if (answer instanceof Answer.Beaten beaten) {
      return beaten.leases().stream().map(lease -> "beat " + lease.state()).toList();
    }
    if (answer instanceof Answer.Reported reported) {
      return reported.outcomes().stream().map(outcome -> "report " + outcome).toList();
    }
    return answer instanceof Answer.Refused refused
        ? List.of("refused " + refused.code())
        : List.of();
  }

  private static List<String> interesting(TaskView task) {
    boolean lost = task.scheduleLog().contains(EndedHold.LOST);
    boolean timedOut = task.scheduleLog().contains(EndedHold.TIMED_OUT);
    boolean failed = task.status() == ModelTask.FAILED;
    return Stream.of(
            "status " + task.status(),
            lost ? "worker lost" : "",
            timedOut ? "timed out" : "",
            failed && task.deliveryCount() > 1 ? "poison" : "",
            failed && task.crtRetryNum() > task.maxRetryNum() ? "exhausted" : "",
            task.table() > 1 ? "second table" : "")
        .toList();
  }
}
