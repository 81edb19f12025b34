package io.asyncflow.flowsvr.claim;

import io.asyncflow.rules.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Deals tasks to the holds of one claim: round-robin, in the order of the line. So a burst of tasks
 * is spread over all waiting holds, and the first hold gets the task that is due first. A hold gets
 * only stages that it named, in the open lane and in lanes of its worker, and at most its limit.
 *
 * <p>A first pass deals tasks to holds that take them without delay. A second pass deals what is
 * left to holds that prefer other stages, if the task has been due long enough. Pure functions.
 */
final class FairShare {

  private FairShare() {}

  /**
   * A task that can be dealt.
   *
   * @param lane the workers that may hold it
   * @param dueForMs milliseconds since it became due
   */
  record Candidate(String stage, String lane, long dueForMs) {

    /** A task that every worker may hold. */
    Candidate(String stage, long dueForMs) {
      this(stage, Lane.OPEN, dueForMs);
    }
  }

  /**
   * @param inOrder the tasks, in due order
   * @param candidateOf returns the candidate of a task
   * @param line the holds, first come first served
   * @param most the most tasks to deal
   * @return the tasks of each hold of the line; a task that no hold may take is in none
   */
  static <T> List<List<T>> deal(
      List<T> inOrder, Function<T, Candidate> candidateOf, List<Claimant> line, int most) {
    Round<T> round = new Round<>(candidateOf, line, most);
    List<T> leftovers = round.deal(Claimant::takesAtOnce, inOrder);
    if (line.stream().anyMatch(claimant -> claimant.hold().isChoosy())) {
      round.deal(Claimant::takes, leftovers);
    }
    return round.shares;
  }

  @FunctionalInterface
  private interface Rule {
    boolean gives(Claimant claimant, Candidate candidate);
  }

  /** A deal in progress. Not thread-safe. */
  private static final class Round<T> {

    private final Function<T, Candidate> candidateOf;
    private final List<Claimant> line;
    private final List<List<T>> shares = new ArrayList<>();
    private int remaining;
    private int next;

    Round(Function<T, Candidate> candidateOf, List<Claimant> line, int most) {
      this.candidateOf = candidateOf;
      this.line = line;
      this.remaining = most;
      line.forEach(claimant -> shares.add(new ArrayList<>()));
    }

    /** Deals by the rule and returns the tasks that no hold took. */
    List<T> deal(Rule rule, List<T> inOrder) {
      List<T> undealt = new ArrayList<>();
      for (T item : inOrder) {
        int index = remaining == 0 ? -1 : nextTaker(candidateOf.apply(item), rule);
        if (index >= 0) {
          shares.get(index).add(item);
          remaining--;
          next = (index + 1) % line.size();
        } else {
          undealt.add(item);
        }
      }
      return undealt;
    }

    private int nextTaker(Candidate candidate, Rule rule) {
      for (int i = 0; i < line.size(); i++) {
        int index = (next + i) % line.size();
        Claimant claimant = line.get(index);
        if (shares.get(index).size() < claimant.limit() && rule.gives(claimant, candidate)) {
          return index;
        }
      }
      return -1;
    }
  }

  /**
   * A hold to deal tasks to.
   *
   * @param limit the most tasks to deal to it; 0 if it has tasks already
   * @param lanes the lanes of its worker from which it may take
   */
  record Claimant(Hold hold, int limit, Set<String> lanes) {

    /** A hold that takes only what every worker may hold. */
    Claimant(Hold hold, int limit) {
      this(hold, limit, Set.of());
    }

    boolean takes(String stage, String lane) {
      return hold.takes(stage) && (lane.equals(Lane.OPEN) || lanes.contains(lane));
    }

    private boolean mayTake(Candidate candidate) {
      return takes(candidate.stage(), candidate.lane());
    }

    /** How many ms a task of the stage must have been due before the hold takes it. */
    long patienceMs(String stage) {
      return hold.preference().patienceMs(stage);
    }

    boolean takesAtOnce(Candidate candidate) {
      return mayTake(candidate) && patienceMs(candidate.stage()) == 0;
    }

    boolean takes(Candidate candidate) {
      return mayTake(candidate) && patienceMs(candidate.stage()) <= candidate.dueForMs();
    }
  }
}
