package io.asyncflow.systemtest.check;

import static io.asyncflow.systemtest.invariant.Invariant.CANCELLED_IS_OVER;
import static io.asyncflow.systemtest.invariant.Invariant.NO_STALE_REPORT;
import static io.asyncflow.systemtest.invariant.Invariant.ONE_REPORT_AN_EPOCH;
import static io.asyncflow.systemtest.invariant.Invariant.ONE_RESULT_A_STAGE;

import io.asyncflow.systemtest.evidence.Evidence;
import io.asyncflow.systemtest.evidence.TaskStory;
import io.asyncflow.systemtest.evidence.TaskStory.Delivery;
import io.asyncflow.systemtest.evidence.TaskStory.Hold;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which reports count. */
final class ReportCheck implements Check {

  @Override
  public void inspect(Evidence evidence, Findings findings) {
    for (TaskStory story : evidence.all()) {
      for (Delivery report : story.deliveries()) {
        if (report.isAccepted()) {
          inspectAccepted(story, report, findings);
        } else {
          inspectReplay(story, report, findings);
        }
      }
      inspectStages(story, findings);
    }
  }

  private static void inspectAccepted(TaskStory story, Delivery report, Findings findings) {
    for (Hold hold : story.holds()) {
      if (hold.epoch() > report.epoch() && hold.at() < report.invokedAt()) {
        findings.add(
            NO_STALE_REPORT,
            story.task(),
            "a report of epoch %s was accepted after %s had epoch %s"
                .formatted(report.epoch(), hold.worker(), hold.epoch()));
        return;
      }
    }
    for (Delivery other : story.deliveries()) {
      boolean second =
          other != report
              && other.epoch() == report.epoch()
              && other.isAccepted()
              && other.endedAt() <= report.endedAt();
      if (second) {
        findings.add(
            ONE_REPORT_AN_EPOCH, story.task(), "epoch " + report.epoch() + " was accepted twice");
        return;
      }
    }
    for (long cancelledAt : story.cancelledAt()) {
      if (cancelledAt < report.invokedAt()) {
        findings.add(
            CANCELLED_IS_OVER,
            story.task(),
            "epoch " + report.epoch() + " reported after its cancel");
      }
    }
  }

  /** The same report again is told that it stands, until a later epoch may have reported. */
  private static void inspectReplay(TaskStory story, Delivery replay, Findings findings) {
    if (replay.isOpen() || replay.key() == null) {
      return;
    }
    boolean stood =
        story.deliveries().stream()
            .anyMatch(
                first ->
                    first.isAccepted()
                        && first.epoch() == replay.epoch()
                        && Objects.equals(first.key(), replay.key())
                        && first.endedAt() < replay.invokedAt());
    boolean overtaken =
        story.deliveries().stream()
            .anyMatch(
                later ->
                    later.epoch() > replay.epoch()
                        && (later.stands() || later.isOpen())
                        && later.invokedAt() < replay.endedAt());
    if (stood && !overtaken && !replay.stands()) {
      findings.add(
          ONE_REPORT_AN_EPOCH,
          story.task(),
          "the replay of epoch " + replay.epoch() + " was told " + replay.answer());
    }
  }

  private static void inspectStages(TaskStory story, Findings findings) {
    Map<Integer, String> stageOfEpoch = new HashMap<>();
    story.holds().forEach(hold -> stageOfEpoch.put(hold.epoch(), hold.stage()));
    Map<String, Set<Integer>> commits = new TreeMap<>();
    for (Delivery report : story.deliveries()) {
      String stage = stageOfEpoch.get(report.epoch());
      if (report.stands() && report.commitsAStage() && stage != null) {
        commits.computeIfAbsent(stage, s -> new TreeSet<>()).add(report.epoch());
      }
    }
    commits.forEach(
        (stage, epochs) -> {
          if (epochs.size() > 1) {
            findings.add(
                ONE_RESULT_A_STAGE,
                story.task(),
                "stage " + stage + " was committed by the epochs " + epochs);
          }
        });
  }
}
