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
final class Dealing {

  private Dealing() {}

  /**
   * What dealing knows of a task.
   *
   * @param dueForMs how long it has been due
   */
  record Card(String stage, long dueForMs) {}

  /**
   * @param inOrder what there is, what is due first at the beginning
   * @param cardOf each
   * @param line each with its limit and its stages
   * @param most deals no more than this
   * @return what each of the line gets; what nobody may have is left out
   */
  static <T> List<List<T>> deal(
      List<T> inOrder, Function<T, Card> cardOf, List<Place> line, int most) {
    Deal<T> deal = new Deal<>(cardOf, line, most);
    List<T> left = deal.outTo(Place::takesAtOnce, inOrder);
    if (line.stream().anyMatch(place -> place.hold().isChoosy())) {
      deal.outTo(Place::takes, left);
    }
    return deal.hands;
  }

  @FunctionalInterface
  private interface Rule {
    boolean gives(Place place, Card card);
  }

  /** One deal under way; for one thread. */
  private static final class Deal<T> {

    private final Function<T, Card> cardOf;
    private final List<Place> line;
    private final List<List<T>> hands = new ArrayList<>();
    private int left;
    private int next;

    Deal(Function<T, Card> cardOf, List<Place> line, int most) {
      this.cardOf = cardOf;
      this.line = line;
      this.left = most;
      line.forEach(place -> hands.add(new ArrayList<>()));
    }

    /** Returns what it dealt to nobody. */
    List<T> outTo(Rule rule, List<T> inOrder) {
      List<T> undealt = new ArrayList<>();
      for (T one : inOrder) {
        int taker = left == 0 ? -1 : takerOf(cardOf.apply(one), rule);
        if (taker >= 0) {
          hands.get(taker).add(one);
          left--;
          next = (taker + 1) % line.size();
        } else {
          undealt.add(one);
        }
      }
      return undealt;
    }

    private int takerOf(Card card, Rule rule) {
      for (int i = 0; i < line.size(); i++) {
        int at = (next + i) % line.size();
        Place place = line.get(at);
        if (hands.get(at).size() < place.limit() && rule.gives(place, card)) {
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
  record Place(Hold hold, int limit) {

    boolean takes(String stage) {
      return hold.takes(stage);
    }

    /** How long a task of the stage must have been due to be for it. */
    long patienceMs(String stage) {
      return hold.preference().patienceMs(stage);
    }

    boolean takesAtOnce(Card card) {
      return takes(card.stage()) && patienceMs(card.stage()) == 0;
    }

    boolean takes(Card card) {
      return takes(card.stage()) && patienceMs(card.stage()) <= card.dueForMs();
    }
  }
}
