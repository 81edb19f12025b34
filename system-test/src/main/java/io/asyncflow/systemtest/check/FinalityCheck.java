package io.asyncflow.systemtest.check;

import static io.asyncflow.systemtest.invariant.Invariant.FINAL_IS_FINAL;

import io.asyncflow.systemtest.evidence.Evidence;
import io.asyncflow.systemtest.evidence.TaskStory;
import io.asyncflow.systemtest.evidence.TaskStory.Delivery;
import io.asyncflow.systemtest.evidence.TaskStory.Hold;
import io.asyncflow.systemtest.evidence.TaskStory.Read;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** A held task is executing, and a final one is left alone. */
final class FinalityCheck implements Check {

  private static final int EXECUTING = 2;

  @Override
  public void inspect(Evidence evidence, Findings findings) {
    for (TaskStory story : evidence.all()) {
      for (Hold hold : story.holds()) {
        if (hold.status() != null && hold.status() != EXECUTING) {
          findings.add(FINAL_IS_FINAL, story.task(), "was given with status " + hold.status());
        }
      }
      finalSince(story).ifPresent(since -> inspectAfter(story, since, findings));
    }
  }

  /** When somebody was first told that the task is final. */
  private static OptionalLong finalSince(TaskStory story) {
    LongStream told =
        story.deliveries().stream()
            .filter(report -> report.stands() && report.isFinal())
            .mapToLong(Delivery::endedAt);
    LongStream seen = story.reads().stream().filter(Read::isFinal).mapToLong(Read::at);
    return LongStream.concat(told, seen).min();
  }

  private static void inspectAfter(TaskStory story, long since, Findings findings) {
    for (Hold hold : story.holds()) {
      if (hold.invokedAt() > since) {
        findings.add(FINAL_IS_FINAL, story.task(), "was given to " + hold.worker() + " when final");
      }
    }
    for (Read read : story.reads()) {
      if (read.invokedAt() > since && !read.isFinal()) {
        findings.add(FINAL_IS_FINAL, story.task(), "was final and is " + read.status());
      }
    }
    for (Delivery report : story.deliveries()) {
      if (report.isAccepted() && report.invokedAt() > since) {
        findings.add(
            FINAL_IS_FINAL,
            story.task(),
            "took the report of epoch " + report.epoch() + " when final");
      }
    }
  }
}
