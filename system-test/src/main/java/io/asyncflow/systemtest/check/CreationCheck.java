package io.asyncflow.systemtest.check;

import static io.asyncflow.systemtest.invariant.Invariant.CREATED_IS_FINISHED;
import static io.asyncflow.systemtest.invariant.Invariant.IDS_ARE_UNIQUE;
import static io.asyncflow.systemtest.invariant.Invariant.NOTHING_FROM_NOWHERE;
import static io.asyncflow.systemtest.invariant.Invariant.ONE_TASK_A_KEY;

import io.asyncflow.systemtest.evidence.Evidence;
import io.asyncflow.systemtest.evidence.TaskStory;
import io.asyncflow.systemtest.evidence.TaskStory.Create;
import io.asyncflow.systemtest.history.Audit;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What was created is there, once, and finished; and nothing else is. */
final class CreationCheck implements Check {

  @Override
  public void inspect(Evidence evidence, Findings findings) {
    evidence.all().forEach(story -> inspect(story, findings));
    evidence
        .tasksOfKey()
        .forEach(
            (key, tasks) -> {
              if (tasks.size() > 1) {
                findings.add(ONE_TASK_A_KEY, key, "made " + tasks);
              }
            });
    inspectRows(evidence, findings);
  }

  private static void inspect(TaskStory story, Findings findings) {
    if (story.acknowledgedCreate().isPresent()) {
      if (story.row() == null) {
        findings.add(CREATED_IS_FINISHED, story.task(), "was acknowledged and is lost");
      } else if (!story.row().isFinal()) {
        findings.add(
            CREATED_IS_FINISHED,
            story.task(),
            "stands at stage " + story.row().stage() + " with status " + story.row().status());
      }
    }
    boolean worked = !story.holds().isEmpty() || !story.runs().isEmpty();
    if (worked && story.creates().isEmpty()) {
      findings.add(NOTHING_FROM_NOWHERE, story.task(), "was worked on, but nobody created it");
    }
    Set<String> keys = story.creates().stream().map(Create::key).collect(Collectors.toSet());
    if (keys.size() > 1) {
      findings.add(IDS_ARE_UNIQUE, story.task(), "is the task of the keys " + keys);
    }
  }

  private static void inspectRows(Evidence evidence, Findings findings) {
    Map<Long, Audit.Row> byNumber = new HashMap<>();
    for (Audit.Row row : evidence.audit().rows()) {
      if (!evidence.invokedKeys().contains(row.key())) {
        findings.add(NOTHING_FROM_NOWHERE, row.task(), "is a row of an unknown key " + row.key());
      }
      Audit.Row other = byNumber.putIfAbsent(row.number(), row);
      if (other != null) {
        findings.add(IDS_ARE_UNIQUE, row.task(), "has the number of " + other.task());
      }
    }
  }
}
