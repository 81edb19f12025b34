package io.asyncflow.flowsvr.claim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Deals tasks out to holds that are served together, one each, round and round, in the order of the
 * line. So a burst is spread over all who wait for it, and the first in line gets the first due; a
 * hold gets no stage that it did not ask for, and no more than it has room for.
 *
 * <p>First all that can be had by somebody who takes it at once; then, of what is left, what has
 * been due for so long that a hold which prefers other stages takes it, too. Pure functions.
 */
final class FairShare {

  private FairShare() {}

  /**
   * What dealing knows of a task.
   *
   * @param dueForMs how long it has been due
   */
  record Candidate(String stage, long dueForMs) {}

  /**
   * @param inOrder what there is, what is due first at the beginning
   * @param candidateOf each
   * @param line each with its limit and its stages
   * @param most deals no more than this
   * @return what each of the line gets; what nobody may have is left out
   */
  static <T> List<List<T>> deal(
      List<T> inOrder, Function<T, Candidate> candidateOf, List<Claimant> line, int most) {
    Round<T> round = new Round<>(candidateOf, line, most);
    List<T> left = round.outTo(Claimant::takesAtOnce, inOrder);
    if (line.stream().anyMatch(claimant -> claimant.hold().isChoosy())) {
      round.outTo(Claimant::takes, left);
    }
    return round.shares;
  }

  @FunctionalInterface
  private interface Rule {
    boolean gives(Claimant claimant, Candidate candidate);
  }

  /** One round of dealing under way; for one thread. */
  private static final class Round<T> {

    private final Function<T, Candidate> candidateOf;
    private final List<Claimant> line;
    private final List<List<T>> shares = new ArrayList<>();
    private int left;
    private int next;

    Round(Function<T, Candidate> candidateOf, List<Claimant> line, int most) {
      this.candidateOf = candidateOf;
      this.line = line;
      this.left = most;
      line.forEach(claimant -> shares.add(new ArrayList<>()));
    }

    /** Returns what it dealt to nobody. */
    List<T> outTo(Rule rule, List<T> inOrder) {
      List<T> undealt = new ArrayList<>();
      for (T one : inOrder) {
        int taker = left == 0 ? -1 : takerOf(candidateOf.apply(one), rule);
        if (taker >= 0) {
          shares.get(taker).add(one);
          left--;
          next = (taker + 1) % line.size();
        } else {
          undealt.add(one);
        }
      }
      return undealt;
    }

    private int takerOf(Candidate candidate, Rule rule) {
      for (int i = 0; i < line.size(); i++) {
        int at = (next + i) % line.size();
        Claimant claimant = line.get(at);
        if (shares.get(at).size() < claimant.limit() && rule.gives(claimant, candidate)) {
          return at;
        }
      }
      return -1;
    }
  }

  /**
   * A hold, as far as dealing knows it.
   *
   * @param limit how many it may be given; 0 if it has been given something already
   */
  record Claimant(Hold hold, int limit) {

    boolean takes(String stage) {
      return hold.takes(stage);
    }

    /** How long a task of the stage must have been due to be for it. */
    long patienceMs(String stage) {
      return hold.preference().patienceMs(stage);
    }

    boolean takesAtOnce(Candidate candidate) {
      return takes(candidate.stage()) && patienceMs(candidate.stage()) == 0;
    }

    boolean takes(Candidate candidate) {
      return takes(candidate.stage()) && patienceMs(candidate.stage()) <= candidate.dueForMs();
    }
  }
}
