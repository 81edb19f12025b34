package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Team;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Which workers have the copies of a team of {@link FakeJobs}. */
final class FakeTeam {

  private static final int MOVES = 3;

  private final FakeWorkers workers;
  private final String type;
  private final Team team;
  private final int total;
  private final Map<Integer, String> holders = new HashMap<>();
  private final Map<Integer, Integer> failures = new HashMap<>();

  /** All workers that were ever given a copy. */
  private final Set<String> given = new HashSet<>();

  /**
   * @throws FlowException with {@link ErrorCode#INVALID_INPUT} if it is a team of all workers, and
   *     none serves the stage
   */
  FakeTeam(FakeWorkers workers, NewJob job, long now) {
    this.workers = workers;
    this.type = job.childType();
    this.team = job.team();
    if (!team.coversAll()) {
      this.total = team.workers();
      return;
    }
    List<String> all = free(team.taskStage(), now);
    if (all.isEmpty()) {
      throw new FlowException(
          ErrorCode.INVALID_INPUT,
          "jobData.team.workers is 0, for all workers, and no worker serves "
              + (type + "/" + team.taskStage())
              + " now");
    }
    this.total = all.size();
    all.forEach(worker -> give(given.size(), worker));
  }

  int total() {
    return total;
  }

  /** The worker of a copy, now or from now on; empty if there is none for it. */
  Optional<String> pin(int index, long now) {
    if (!holders.containsKey(index)) {
      free(team.taskStage(), now).stream().findFirst().ifPresent(worker -> give(index, worker));
    }
    return Optional.ofNullable(holders.get(index));
  }

  /** The worker to which a copy that has failed moves; empty if it does not move. */
  Optional<String> moveAfterFailure(int index, String stage, long now) {
    if (failures.getOrDefault(index, 0) >= Objects.requireNonNullElse(team.maxMoves(), MOVES)) {
      return Optional.empty();
    }
    Optional<String> next = move(index, stage, now);
    next.ifPresent(worker -> failures.merge(index, 1, Integer::sum));
    return next;
  }

  /** The worker to which a copy moves that waits for its worker; empty if it does not move. */
  Optional<String> moveFromSilent(int index, String stage, long now) {
    return isSilent(index, now) ? move(index, stage, now) : Optional.empty();
  }

  /** Whether the worker of a waiting copy is gone, and no other one may do it in its place. */
  boolean isHopeless(int index, String stage, long now) {
    return team.coversAll() && isSilent(index, now) && free(stage, now).isEmpty();
  }

  private boolean isSilent(int index, long now) {
    return workers.isSilent(holders.get(index), now);
  }

  private Optional<String> move(int index, String stage, long now) {
    Optional<String> next = free(stage, now).stream().findFirst();
    next.ifPresent(worker -> give(index, worker));
    return next;
  }

  private void give(int index, String worker) {
    holders.put(index, worker);
    given.add(worker);
  }

  private List<String> free(String stage, long now) {
    return workers.serving(
        type,
        stage,
        worker ->
            !given.contains(worker)
                && (team.workerIds() == null || team.workerIds().contains(worker)),
        now);
  }
}
