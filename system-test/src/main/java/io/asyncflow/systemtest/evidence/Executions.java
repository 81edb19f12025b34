package io.asyncflow.systemtest.evidence;

import io.asyncflow.api.Outcome;
import io.asyncflow.systemtest.evidence.Evidence.FaultWindow;
import io.asyncflow.systemtest.evidence.TaskStory.Delivery;
import io.asyncflow.systemtest.evidence.TaskStory.Run;
import java.util.Set;
import java.util.stream.Stream;

/**
 * How often handlers were started, and how much of that was in vain.
 *
 * <p>An execution is in flight from its start until its report is answered. It is repeated if its
 * stage was started again without a report that asked for it: a retry, a snooze.
 *
 * @param all starts of a handler
 * @param repeated starts whose work was done once more
 * @param inFlight starts that a fault met in flight
 * @param repeatedWithoutFault those repeated although no fault met them
 */
public record Executions(int all, int repeated, int inFlight, int repeatedWithoutFault) {

  private static final Set<Outcome> ASKS_FOR_ANOTHER =
      Set.of(Outcome.RETRY, Outcome.SNOOZE, Outcome.FAIL);

  public static Executions of(Evidence evidence) {
    int all = 0;
    int repeated = 0;
    int inFlight = 0;
    int unmet = 0;
    for (TaskStory story : evidence.all()) {
      for (Run run : story.runs) {
        boolean met = evidence.faults().stream().anyMatch(fault -> meets(fault, story, run));
        boolean again = isRepeated(story, run);
        all++;
        inFlight += met ? 1 : 0;
        repeated += again ? 1 : 0;
        unmet += again && !met ? 1 : 0;
      }
    }
    return new Executions(all, repeated, inFlight, unmet);
  }

  private static boolean isRepeated(TaskStory story, Run run) {
    boolean startedAgain =
        story.runs.stream()
            .anyMatch(later -> later.epoch() > run.epoch() && later.stage().equals(run.stage()));
    return startedAgain
        && Stream.concat(story.counted(run.epoch()).stream(), story.open(run.epoch()).stream())
            .noneMatch(report -> ASKS_FOR_ANOTHER.contains(report.outcome()));
  }

  private static boolean meets(FaultWindow fault, TaskStory story, Run run) {
    return fault.concerns(run.process())
        && run.at() <= fault.to()
        && endOf(story, run) >= fault.from();
  }

  private static long endOf(TaskStory story, Run run) {
    return story.deliveries.stream()
        .filter(report -> report.epoch() == run.epoch() && !report.isOpen())
        .mapToLong(Delivery::endedAt)
        .min()
        .orElse(TaskStory.NEVER);
  }
}
