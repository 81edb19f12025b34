package io.asyncflow.flowsvr.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Deals tasks out to holds that are served together, one each, round and round, in the order of the
 * line. So a burst is spread over all who wait for it, and the first in line gets the first due; a
 * hold gets no stage that it did not ask for, and no more than it has room for. Pure functions.
 */
final class Dealing {

  private Dealing() {}

  /**
   * @param inOrder what there is, what is due first at the beginning
   * @param stageOf of each
   * @param line each with its limit and its stages
   * @param most deals no more than this
   * @return what each of the line gets, in order; what nobody may have is left out
   */
  static <T> List<List<T>> deal(
      List<T> inOrder, Function<T, String> stageOf, List<Place> line, int most) {
    List<List<T>> hands = new ArrayList<>();
    line.forEach(place -> hands.add(new ArrayList<>()));
    int dealt = 0;
    int next = 0;
    for (T one : inOrder) {
      if (dealt == most) {
        break;
      }
      int taker = takerOf(stageOf.apply(one), line, hands, next);
      if (taker >= 0) {
        hands.get(taker).add(one);
        dealt++;
        next = (taker + 1) % line.size();
      }
    }
    return hands;
  }

  private static <T> int takerOf(
      String stage, List<Place> line, List<List<T>> hands, int startingWith) {
    for (int i = 0; i < line.size(); i++) {
      int at = (startingWith + i) % line.size();
      if (line.get(at).takes(stage) && hands.get(at).size() < line.get(at).limit()) {
        return at;
      }
    }
    return -1;
  }

  /**
   * A hold, as far as dealing knows it.
   *
   * @param limit how many it may be given, at least 1
   */
  record Place(Hold hold, int limit) {

    boolean takes(String stage) {
      return hold.stages().isEmpty() || hold.stages().contains(stage);
    }
  }
}
