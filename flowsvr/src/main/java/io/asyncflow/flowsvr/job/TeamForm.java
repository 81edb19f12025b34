package io.asyncflow.flowsvr.job;

import io.asyncflow.api.Team;
import io.asyncflow.flowsvr.job.core.JobLimits;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.field.TaskFields;
import java.util.List;
import java.util.Set;

/** Reads the team of a job to be created. */
final class TeamForm {

  private static final Set<String> FIELDS =
      Set.of(
          "workers",
          "taskStage",
          "taskContext",
          "workerIds",
          "maxMoves",
          "context"); // refused with its right name

  private static final int MOVES = 3;

  private TeamForm() {}

  /**
   * The team with defaults applied; usable only if {@code in} has no errors afterwards.
   *
   * @param isStrict whether unknown fields are errors
   */
  static Team read(Fields in, boolean isStrict) {
    if (isStrict) {
      in.refuseUnknown(FIELDS);
    }
    int workers = in.number("workers").required().between(0, JobLimits.CHILDREN_AT_ONCE).or(0);
    Set<String> candidates = TaskFields.workerIds(in);
    if (!candidates.isEmpty() && workers > candidates.size()) {
      in.refuse("workers", "must be at most " + candidates.size() + ", the number of workerIds");
    }
    return new Team(
        workers,
        JobChildrenForm.stage(in),
        JobChildrenForm.context(in),
        candidates.isEmpty() ? null : List.copyOf(candidates),
        in.number("maxMoves").between(0, JobLimits.MOVES).or(MOVES));
  }
}
