package io.asyncflow.flowsvr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.model.Comparison.Finding;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A bug that is put in on purpose must be found, and shown in a few lines. */
class ComparisonTest {

  private static final int SEEDS = 20;
  private static final int COMMANDS = 300;

  /**
   * Of {@link #COMMANDS}. Poison takes the most: with a max_delivery of 3, four times a hold, a
   * wait and a sweep, and what creates the task and its type.
   */
  private static final int MANY = 16;

  /** Faults that real systems had; see lessons.md. */
  enum Fault {
    TASKS_ARE_HELD_BY_AGE(HeldByAge::new),
    A_STALE_REPORT_IS_ACCEPTED(() -> new ModelDriver(Unfenced::new)),
    A_LOST_WORKER_BURNS_A_RETRY(() -> new ModelDriver(RetryBurning::new)),
    A_LATE_REPORT_IS_A_SECOND_FAILURE(() -> new ModelDriver(FailingTwice::new)),
    POISON_IS_HELD_ONCE_MORE(() -> new ModelDriver(Forgiving::new)),
    A_LEASE_ENDS_A_MILLISECOND_LATE(() -> new ModelDriver(Overdue::new));

    final Supplier<Driver> brokenModel;

    Fault(Supplier<Driver> brokenModel) {
      this.brokenModel = brokenModel;
    }

    Optional<Finding> find(long seed) {
      return new Comparison(ModelDriver::new, brokenModel)
          .findDifference(new CommandGenerator(seed).sequence(COMMANDS));
    }
  }

  @ParameterizedTest
  @EnumSource
  void faultIsFoundAndShownInAFewCommands(Fault fault) {
    Finding finding =
        LongStream.rangeClosed(1, SEEDS)
            .mapToObj(fault::find)
            .flatMap(Optional::stream)
            .findFirst()
            .orElseThrow();

    assertThat(finding.trace()).as(finding.toString()).hasSizeLessThanOrEqualTo(MANY);
  }

  @Test
  void modelAgreesWithItself() {
    Comparison comparison = new Comparison(ModelDriver::new, ModelDriver::new);
    for (long seed = 1; seed <= SEEDS; seed++) {
      assertThat(comparison.findDifference(new CommandGenerator(seed).sequence(COMMANDS)))
          .isEmpty();
    }
  }

  private static final class HeldByAge extends ModelDriver {
    @Override
    Comparator<ModelTask> soonestFirst() {
      return Comparator.comparing(ModelTask::number);
    }
  }

  private static final class Unfenced extends ModelTask {
    Unfenced(Birth birth) {
      super(birth);
    }

    @Override
    boolean isOfTheLastHold(String who, int named) {
      return named <= epoch();
    }
  }

  private static final class RetryBurning extends ModelTask {
    RetryBurning(Birth birth) {
      super(birth);
    }

    @Override
    boolean isWorkerLost() {
      return false;
    }
  }

  private static final class FailingTwice extends ModelTask {
    FailingTwice(Birth birth) {
      super(birth);
    }

    @Override
    boolean hasFailedBefore() {
      return false;
    }
  }

  private static final class Forgiving extends ModelTask {
    Forgiving(Birth birth) {
      super(birth);
    }

    @Override
    boolean isPoison(int deliveries, int maxDelivery) {
      return deliveries > maxDelivery + 1;
    }
  }

  private static final class Overdue extends ModelTask {
    Overdue(Birth birth) {
      super(birth);
    }

    @Override
    boolean leaseHasRunOutAt(long now) {
      return super.leaseHasRunOutAt(now - 1);
    }
  }
}
