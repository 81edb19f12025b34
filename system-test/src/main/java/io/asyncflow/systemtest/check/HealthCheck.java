package io.asyncflow.systemtest.check;

import static io.asyncflow.systemtest.invariant.Invariant.HEALED_MEANS_DRAINED;
import static io.asyncflow.systemtest.invariant.Invariant.NO_ERROR_WITHOUT_A_FAULT;

import io.asyncflow.systemtest.evidence.Evidence;
import io.asyncflow.systemtest.evidence.Evidence.Failure;
import io.asyncflow.systemtest.evidence.Evidence.FaultWindow;
import io.asyncflow.systemtest.evidence.TaskStory;
import io.asyncflow.systemtest.evidence.TaskStory.Delivery;
import io.asyncflow.systemtest.invariant.Rules;
import java.time.Duration;

/** Errors have a cause, and end when it does. */
final class HealthCheck implements Check {

  /** What a fault may still do to calls after it is over: processes start, pools fill. */
  private static final long AFTERMATH = Duration.ofSeconds(15).toNanos();

  private final Rules rules;

  HealthCheck(Rules rules) {
    this.rules = rules;
  }

  @Override
  public void inspect(Evidence evidence, Findings findings) {
    for (Failure failure : evidence.failures()) {
      if (evidence.faults().stream().noneMatch(fault -> excuses(fault, failure))) {
        findings.add(NO_ERROR_WITHOUT_A_FAULT, failure.subject(), failure.what());
      }
    }
    evidence
        .healedAt()
        .ifPresent(
            healedAt -> {
              long limit = healedAt + rules.drainWithin().toNanos();
              evidence.all().forEach(story -> inspectDrain(story, limit, findings));
            });
  }

  private static boolean excuses(FaultWindow fault, Failure failure) {
    if (!fault.concerns(failure.process())) {
      return false;
    }
    long end = fault.to() == TaskStory.NEVER ? fault.to() : fault.to() + AFTERMATH;
    return failure.to() >= fault.from() && failure.from() <= end;
  }

  private static void inspectDrain(TaskStory story, long limit, Findings findings) {
    for (Delivery report : story.deliveries()) {
      if (report.isAccepted() && report.isFinal() && report.invokedAt() > limit) {
        findings.add(
            HEALED_MEANS_DRAINED,
            story.task(),
            "ended %s ms too late".formatted((report.invokedAt() - limit) / 1_000_000));
      }
    }
    boolean unknownCreate = story.acknowledgedCreate().isEmpty();
    if (unknownCreate && story.row() != null && !story.row().isFinal()) {
      findings.add(HEALED_MEANS_DRAINED, story.task(), "never ended");
    }
  }
}
