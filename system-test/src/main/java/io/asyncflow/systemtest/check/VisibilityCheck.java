package io.asyncflow.systemtest.check;

import static io.asyncflow.systemtest.invariant.Invariant.READ_YOUR_WRITES;
import static io.asyncflow.systemtest.invariant.Invariant.TABLES_ROLL_FORWARD;

import io.asyncflow.systemtest.evidence.Evidence;
import io.asyncflow.systemtest.evidence.TaskStory;
import io.asyncflow.systemtest.evidence.TaskStory.Hold;
import io.asyncflow.systemtest.evidence.TaskStory.Read;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.history.Audit.Position;

/** Where tasks lie, and that they can be read there. */
final class VisibilityCheck implements Check {

  @Override
  public void inspect(Evidence evidence, Findings findings) {
    inspectPositions(evidence, findings);
    for (Audit.Row row : evidence.audit().rows()) {
      if (row.table() < evidence.audit().position().begin() && !row.isFinal()) {
        findings.add(
            TABLES_ROLL_FORWARD,
            row.task(),
            "is unfinished behind begin " + evidence.audit().position().begin());
      }
    }
    evidence.all().forEach(story -> inspectReads(story, findings));
  }

  private static void inspectPositions(Evidence evidence, Findings findings) {
    Position before = new Position(0, 0);
    for (Position position : evidence.positions()) {
      boolean forward = position.begin() >= before.begin() && position.end() >= before.end();
      if (!forward || position.begin() > position.end()) {
        findings.add(TABLES_ROLL_FORWARD, "position", position + " after " + before);
      }
      before = position;
    }
  }

  private static void inspectReads(TaskStory story, Findings findings) {
    story
        .acknowledgedCreate()
        .ifPresent(
            create -> {
              if (story.notFoundAt().stream().anyMatch(at -> at > create.endedAt())) {
                findings.add(TABLES_ROLL_FORWARD, story.task(), "could not be read");
              }
            });
    for (Read read : story.reads()) {
      for (Hold hold : story.holds()) {
        if (hold.at() < read.invokedAt() && hold.epoch() > read.epoch()) {
          findings.add(
              READ_YOUR_WRITES,
              story.task(),
              "was read with epoch " + read.epoch() + " after the hold " + hold.epoch());
          return;
        }
      }
    }
  }
}
