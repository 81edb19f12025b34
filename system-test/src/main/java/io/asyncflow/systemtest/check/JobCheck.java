package io.asyncflow.systemtest.check;

import static io.asyncflow.systemtest.invariant.Invariant.CREATED_IS_FINISHED;
import static io.asyncflow.systemtest.invariant.Invariant.JOBS_ADD_UP;
import static io.asyncflow.systemtest.invariant.Invariant.NOTHING_FROM_NOWHERE;
import static io.asyncflow.systemtest.invariant.Invariant.ONE_TASK_A_KEY;
import static io.asyncflow.systemtest.invariant.Invariant.STAGES_FOLLOW_THE_PATH;

import io.asyncflow.api.JobState;
import io.asyncflow.api.Outcome;
import io.asyncflow.systemtest.evidence.Evidence;
import io.asyncflow.systemtest.evidence.JobStory;
import io.asyncflow.systemtest.evidence.TaskStory.Delivery;
import io.asyncflow.systemtest.evidence.TaskStory.Hold;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.history.Audit.Row;
import io.asyncflow.systemtest.worker.JobScript;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/** What was made of jobs: each is there once, has ended, and says what its tasks say. */
final class JobCheck implements Check {

  private static final int SUCCESS = 4;
  private static final int FAILED = 8;
  private static final int CANCELLED = 16;

  /** A job's tasks as they stand. */
  private record Family(List<Row> splits, List<Row> children, List<Row> merges) {

    static Family of(List<Row> rows) {
      return new Family(
          rows.stream().filter(row -> row.jobIndex() == Row.SPLIT).toList(),
          rows.stream()
              .filter(row -> row.jobIndex() >= 0)
              .sorted(Comparator.comparing(Row::jobIndex))
              .toList(),
          rows.stream().filter(row -> row.jobIndex() == Row.MERGE).toList());
    }

    int children(int status) {
      return (int) children.stream().filter(row -> row.status() == status).count();
    }

    boolean isUnfinished() {
      return List.of(splits, children, merges).stream()
          .flatMap(Collection::stream)
          .anyMatch(row -> !row.isFinal());
    }
  }

  @Override
  public void inspect(Evidence evidence, Findings findings) {
    Map<String, List<Row>> rowsOfJob = new HashMap<>();
    evidence.audit().rows().stream()
        .filter(row -> row.job() != null)
        .forEach(row -> rowsOfJob.computeIfAbsent(row.job(), j -> new ArrayList<>()).add(row));
    Map<String, String> idOfKey = new HashMap<>();
    for (Audit.Job job : evidence.audit().jobs()) {
      String other = idOfKey.putIfAbsent(job.key(), job.id());
      if (other != null) {
        findings.add(ONE_TASK_A_KEY, job.key(), "made the jobs " + other + " and " + job.id());
      }
      JobStory story = evidence.jobsByKey().get(job.key());
      if (story == null) {
        findings.add(NOTHING_FROM_NOWHERE, job.id(), "is a job of an unknown key " + job.key());
        continue;
      }
      Family family = Family.of(rowsOfJob.getOrDefault(job.id(), List.of()));
      inspectCounts(job, story, family, findings);
      inspectEnd(evidence, job, family, findings);
      inspectOrder(evidence, job, family, findings);
    }
    for (JobStory story : evidence.jobsByKey().values()) {
      for (String id : story.acknowledged()) {
        if (!id.equals(idOfKey.get(story.key()))) {
          findings.add(CREATED_IS_FINISHED, id, "was acknowledged and is no job of " + story.key());
        }
      }
    }
  }

  private static void inspectCounts(
      Audit.Job job, JobStory story, Family family, Findings findings) {
    List<Integer> counted = List.of(job.done(), job.failed(), job.cancelled());
    List<Integer> rows =
        List.of(family.children(SUCCESS), family.children(FAILED), family.children(CANCELLED));
    if (!counted.equals(rows)) {
      findings.add(JOBS_ADD_UP, job.id(), "counts " + counted + ", and its children are " + rows);
    }
    if (job.total() != null && job.total() != story.children().size()) {
      findings.add(
          JOBS_ADD_UP,
          job.id(),
          "has %s children instead of %s".formatted(job.total(), story.children().size()));
    }
    boolean isEachOnce = family.children().size() == job.released();
    for (int index = 0; index < family.children().size(); index++) {
      isEachOnce &= family.children().get(index).jobIndex() == index;
    }
    if (!isEachOnce) {
      findings.add(
          JOBS_ADD_UP,
          job.id(),
          "released %s children, and has tasks for %s"
              .formatted(job.released(), family.children().stream().map(Row::jobIndex).toList()));
    }
    if (family.splits().size() != 1 || family.merges().size() > 1) {
      findings.add(
          JOBS_ADD_UP,
          job.id(),
          "has %s splits and %s merges".formatted(family.splits().size(), family.merges().size()));
    }
  }

  private static void inspectEnd(
      Evidence evidence, Audit.Job job, Family family, Findings findings) {
    if (!job.state().isFinal()) {
      findings.add(CREATED_IS_FINISHED, job.id(), "is a job that stands at " + job.state());
      return;
    }
    if (family.isUnfinished()) {
      findings.add(JOBS_ADD_UP, job.id(), "is " + job.state() + " and has unfinished tasks");
    }
    boolean wasCancelled = evidence.cancelledJobs().contains(job.id());
    boolean mayBeCancelled = evidence.perhapsCancelledJobs().contains(job.id());
    boolean isMerged = family.merges().stream().anyMatch(row -> row.status() == SUCCESS);
    boolean areAllDone = job.total() != null && family.children(SUCCESS) == job.total();
    boolean fits =
        switch (job.state()) {
          case SUCCESS -> isMerged && areAllDone && !wasCancelled;
          // a merge that was under way may end, and then counts for nothing
          case CANCELLED -> mayBeCancelled && job.result() == null;
          default -> !isMerged && !wasCancelled;
        };
    if (!fits) {
      findings.add(
          JOBS_ADD_UP,
          job.id(),
          "ended %s with %s of %s children done, %s, %s"
              .formatted(
                  job.state(),
                  family.children(SUCCESS),
                  job.total(),
                  isMerged ? "merged" : "not merged",
                  wasCancelled
                      ? "cancelled"
                      : mayBeCancelled ? "perhaps cancelled" : "never cancelled"));
    }
    if (job.state() == JobState.SUCCESS) {
      String expected = JobScript.merged(family.children().stream().map(Row::result));
      if (!Objects.equals(expected, job.result())) {
        findings.add(
            STAGES_FOLLOW_THE_PATH,
            job.id(),
            "was merged to " + job.result() + " instead of " + expected);
      }
    }
  }

  /** No child is a task before the split has reported, and no merge before all children have. */
  private static void inspectOrder(
      Evidence evidence, Audit.Job job, Family family, Findings findings) {
    OptionalLong split = reportedAfter(evidence, family.splits());
    for (Row child : family.children()) {
      firstHeld(evidence, child)
          .ifPresent(
              held -> {
                if (split.isEmpty() || held < split.getAsLong()) {
                  findings.add(
                      STAGES_FOLLOW_THE_PATH, child.task(), "was held before its job was split");
                }
              });
    }
    for (Row merge : family.merges()) {
      OptionalLong held = firstHeld(evidence, merge);
      for (Row child : family.children()) {
        OptionalLong reported = reportedAfter(evidence, List.of(child));
        boolean isEarly =
            held.isPresent() && (reported.isEmpty() || held.getAsLong() < reported.getAsLong());
        if (isEarly) {
          findings.add(
              STAGES_FOLLOW_THE_PATH, job.id(), "was merged before " + child.task() + " was done");
          return;
        }
      }
    }
  }

  /** The moment after which the first report of success, that may have counted, was taken. */
  private static OptionalLong reportedAfter(Evidence evidence, List<Row> rows) {
    return rows.stream()
        .flatMap(row -> evidence.story(row.task()).deliveries().stream())
        .filter(report -> report.outcome() == Outcome.SUCCESS)
        .filter(report -> report.stands() || report.isOpen())
        .mapToLong(Delivery::invokedAt)
        .min();
  }

  private static OptionalLong firstHeld(Evidence evidence, Row row) {
    return evidence.story(row.task()).holds().stream().mapToLong(Hold::at).min();
  }
}
