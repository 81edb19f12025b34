package io.asyncflow.systemtest.check;

import static io.asyncflow.systemtest.invariant.Invariant.RETRIES_ARE_COUNTED;
import static io.asyncflow.systemtest.invariant.Invariant.STAGES_FOLLOW_THE_PATH;

import io.asyncflow.api.Outcome;
import io.asyncflow.systemtest.evidence.Evidence;
import io.asyncflow.systemtest.evidence.TaskStory;
import io.asyncflow.systemtest.evidence.TaskStory.Delivery;
import io.asyncflow.systemtest.evidence.TaskStory.Hold;
import io.asyncflow.systemtest.invariant.Rules;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Walks a task from hold to hold and says where it may stand: one place where every report was
 * answered, and several where some were not.
 */
final class PathCheck implements Check {

  private final Rules rules;

  PathCheck(Rules rules) {
    this.rules = rules;
  }

  /** Where a task stands between two holds. */
  private record Place(String stage, String text, int failures) {

    Place after(Delivery report) {
      return switch (report.outcome()) {
        case NEXT_STAGE ->
            new Place(report.nextStage(), report.text() == null ? text : report.text(), 0);
        case RETRY, FAIL -> failedOnceMore();
        case SUCCESS, SNOOZE, RELEASE -> this;
      };
    }

    Place failedOnceMore() {
      return new Place(stage, text, failures + 1);
    }
  }

  @Override
  public void inspect(Evidence evidence, Findings findings) {
    for (TaskStory story : evidence.all()) {
      if (!story.creates().isEmpty()) {
        walk(story, findings);
      }
    }
  }

  private void walk(TaskStory story, Findings findings) {
    Set<Place> places =
        story.creates().stream()
            .map(create -> new Place(create.stage(), create.text(), 0))
            .collect(Collectors.toSet());
    List<Hold> holds = story.holdsByEpoch();
    for (int i = 0; i < holds.size(); i++) {
      Hold hold = holds.get(i);
      Place seen = new Place(hold.stage(), hold.text(), orZero(hold.failures()));
      places = confirm(story, "epoch " + hold.epoch(), seen, places, findings);
      long until = i + 1 < holds.size() ? holds.get(i + 1).at() : TaskStory.NEVER;
      places = after(story, hold, until, places);
    }
    if (story.row() != null) {
      Place end = new Place(story.row().stage(), story.row().context(), story.row().failures());
      confirm(story, "the row", end, places, findings);
      inspectEnd(story, findings);
    }
  }

  /** Returns where the task stands for certain: where it was seen. */
  private Set<Place> confirm(
      TaskStory story, String where, Place seen, Set<Place> expected, Findings findings) {
    boolean onThePath =
        expected.stream()
            .anyMatch(
                place ->
                    Objects.equals(place.stage(), seen.stage())
                        && Objects.equals(place.text(), seen.text()));
    if (!onThePath) {
      findings.add(
          STAGES_FOLLOW_THE_PATH, story.task(), where + " saw " + seen + " of " + expected);
    } else if (!expected.contains(seen)) {
      findings.add(RETRIES_ARE_COUNTED, story.task(), where + " saw " + seen + " of " + expected);
    }
    return Set.of(seen);
  }

  private Set<Place> after(TaskStory story, Hold hold, long until, Set<Place> places) {
    Set<Place> next = new LinkedHashSet<>();
    for (Place place : places) {
      story
          .counted(hold.epoch())
          .ifPresentOrElse(
              report -> next.add(place.after(report)),
              () -> {
                next.add(place);
                story.open(hold.epoch()).forEach(report -> next.add(place.after(report)));
                if (mayHaveTimedOut(story, hold, until)) {
                  next.add(place.failedOnceMore());
                }
              });
    }
    return next;
  }

  /** A worker that beats until its time is over has failed; one that falls silent has not. */
  private boolean mayHaveTimedOut(TaskStory story, Hold hold, long until) {
    boolean beaten = story.beats().stream().anyMatch(beat -> beat.epoch() == hold.epoch());
    return beaten && until - hold.invokedAt() >= rules.maxProcessingTime().toNanos();
  }

  private void inspectEnd(TaskStory story, Findings findings) {
    int failed = 8;
    boolean exhausted = story.row().failures() > rules.maxRetries();
    if (story.row().failures() > rules.maxRetries() + 1
        || exhausted && story.row().status() != failed) {
      findings.add(
          RETRIES_ARE_COUNTED,
          story.task(),
          "has failed %s times, with %s retries and status %s"
              .formatted(story.row().failures(), rules.maxRetries(), story.row().status()));
    }
    story.deliveries().stream()
        .filter(report -> report.stands() && report.outcome() == Outcome.SUCCESS)
        .filter(report -> !Objects.equals(report.text(), story.row().result()))
        .findFirst()
        .ifPresent(
            report ->
                findings.add(
                    STAGES_FOLLOW_THE_PATH,
                    story.task(),
                    "committed " + report.text() + " and shows " + story.row().result()));
  }

  private static int orZero(Integer value) {
    return value == null ? 0 : value;
  }
}
