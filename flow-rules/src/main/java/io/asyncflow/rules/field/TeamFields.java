package io.asyncflow.rules.field;

import io.asyncflow.api.Team;
import java.util.List;
import java.util.Set;

/** Reads the team of a job to be created. */
final class TeamFields {

  private static final Set<String> FIELDS =
      FieldSource.namesOf(Team.class, "context"); // refused with its right name

  private static final int MOVES = 3;

  private TeamFields() {}

  /**
   * The team with defaults applied; usable only if {@code in} has no errors afterwards.
   *
   * @param isStrict whether unknown fields are errors
   */
  static Team read(FieldSource in, boolean isStrict) {
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
        JobChildFields.stage(in),
        JobChildFields.context(in),
        candidates.isEmpty() ? null : List.copyOf(candidates),
        in.number("maxMoves").between(0, JobLimits.MOVES).or(MOVES));
  }
}
