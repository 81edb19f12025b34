package io.asyncflow.flowsvr.queue.claim;

import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
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
   * @param inOrder the tasks, in due order
   * @param headOf returns what is known of a task
   * @param line the holds, first come first served
   * @param most the most tasks to deal
   * @return the tasks of each hold of the line; a task that no hold may take is in none
   */
  static <T> List<List<T>> deal(
      List<T> inOrder, Function<T, Head> headOf, List<Claimant> line, int most) {
    List<List<T>> shares = new ArrayList<>();
    line.forEach(claimant -> shares.add(new ArrayList<>()));
    boolean isAnyChoosy = line.stream().anyMatch(claimant -> claimant.hold().isChoosy());
    List<T> left = inOrder;
    int remaining = most;
    int next = 0;
    for (int pass = 1; pass <= (isAnyChoosy ? 2 : 1); pass++) {
      BiPredicate<Claimant, Head> rule = pass == 1 ? Claimant::takesAtOnce : Claimant::takes;
      List<T> undealt = new ArrayList<>();
      for (T item : left) {
        int taker = remaining == 0 ? -1 : taker(line, shares, next, headOf.apply(item), rule);
        if (taker >= 0) {
          shares.get(taker).add(item);
          remaining--;
          next = (taker + 1) % line.size();
        } else {
          undealt.add(item);
        }
      }
      left = undealt;
    }
    return shares;
  }

  /** The place in the line of the next hold with room that takes a task; -1 if there is none. */
  private static <T> int taker(
      List<Claimant> line,
      List<List<T>> shares,
      int next,
      Head head,
      BiPredicate<Claimant, Head> rule) {
    for (int i = 0; i < line.size(); i++) {
      int index = (next + i) % line.size();
      Claimant claimant = line.get(index);
      if (shares.get(index).size() < claimant.limit() && rule.test(claimant, head)) {
        return index;
      }
    }
    return -1;
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

    boolean takes(Source source) {
      return hold.takes(source.stage()) && (source.isOpen() || lanes.contains(source.lane()));
    }

    /** How many ms a task of the stage must have been due before the hold takes it. */
    long patienceMs(String stage) {
      return hold.preference().patienceMs(stage);
    }

    boolean takesAtOnce(Head head) {
      return takes(head.source()) && patienceMs(head.source().stage()) == 0;
    }

    boolean takes(Head head) {
      return takes(head.source()) && patienceMs(head.source().stage()) <= head.dueForMs();
    }
  }
}
