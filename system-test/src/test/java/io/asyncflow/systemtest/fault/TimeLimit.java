package io.asyncflow.systemtest.fault;

import java.time.Instant;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Begins no more class with faults after the second, since 1970, that {@code asyncflow.test.until}
 * names, and says which; without the property every class runs. JUnit finds this extension by its
 * service file.
 */
public final class TimeLimit implements ExecutionCondition {

  private static final long UNTIL = Long.getLong("asyncflow.test.until", Long.MAX_VALUE);

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    boolean late =
        context.getTestMethod().isEmpty()
            && context.getTags().contains("faults")
            && Instant.now().getEpochSecond() > UNTIL;
    if (!late) {
      return ConditionEvaluationResult.enabled("in time");
    }
    System.out.println("NOT RUN, for the time is up: " + context.getDisplayName());
    return ConditionEvaluationResult.disabled("the time is up");
  }
}
