package io.asyncflow.flowsvr.schedule.slice;

import static java.util.Comparator.comparingDouble;
import static java.util.Comparator.comparingLong;
import static java.util.Comparator.naturalOrder;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Which server shall own which slices: a pure function of the live servers and the 64 rows. Every
 * server computes the plan of all servers and does only its own part of it. Immutable.
 *
 * <p><b>Share.</b> The load of all slices is distributed by weight. A slice without schedules
 * counts as a load of 1, so that empty slices are distributed as well.
 *
 * <p><b>Vacant slices.</b> A server takes them while its load is below its share. A share may be
 * that of a server that died a moment ago, so a slice that was vacant in the round before is taken
 * beyond the share: moves restore the balance, but nothing makes up for a late fire.
 *
 * <p><b>Moves.</b> The server furthest above its share hands a slice to the server furthest below,
 * if one of the two is off by more than a mean slice. Only a slice that is smaller than the
 * difference of the two moves: the two come closer to each other with each move, so moves end. A
 * server gets three slices a round at most. Servers of weight 0 give away all that they own.
 */
final class SlicePlan {

  static final int MOVES_A_ROUND = 3;
  private static final double TINY = 1e-6; // less than any load, more than any rounding

  /**
   * A slice.
   *
   * @param owner empty if it is vacant
   * @param isOverdue whether it was vacant in the round before, too
   */
  record Slice(int slice, String owner, long load, boolean isOverdue) {

    long size() {
      return Math.max(1, load);
    }
  }

  /** A slice that shall move. */
  record Move(int slice, String from, String to) {}

  private final Map<String, Integer> weights;
  private final List<Slice> slices;
  private final double weightOfAll;
  private final double loadOfAll;

  /**
   * @param weights of the live servers, by node
   */
  SlicePlan(Map<String, Integer> weights, List<Slice> slices) {
    this.weights = new TreeMap<>(weights);
    this.slices = slices;
    this.weightOfAll = weights.values().stream().mapToInt(Integer::intValue).sum();
    this.loadOfAll = slices.stream().mapToLong(Slice::size).sum();
  }

  private int weight(String node) {
    return weights.getOrDefault(node, 0);
  }

  /** The load that a server shall have; 0 for an unknown one. */
  double share(String node) {
    return weight(node) == 0 ? 0 : loadOfAll * weight(node) / weightOfAll;
  }

  /** The load that a server has. */
  double load(String node) {
    return slices.stream().filter(slice -> slice.owner().equals(node)).mapToLong(Slice::size).sum();
  }

  /** The vacant slices that this server takes now. */
  List<Integer> takes(String me) {
    List<Integer> taken = new ArrayList<>();
    double load = load(me);
    for (Slice slice : inOrderOf(me)) {
      boolean isFree = load < share(me) - TINY || slice.isOverdue();
      if (slice.owner().isEmpty() && weight(me) > 0 && isFree) {
        taken.add(slice.slice());
        load += slice.size();
      }
    }
    return taken;
  }

  /** What all servers hand over now. */
  List<Move> moves() {
    Map<String, Double> excess = new HashMap<>();
    weights.keySet().forEach(node -> excess.put(node, load(node) - share(node)));
    Comparator<String> byExcess =
        comparingDouble((String node) -> excess.get(node)).thenComparing(naturalOrder());
    List<Slice> left = new ArrayList<>(slices);
    List<Move> moves = new ArrayList<>();
    for (int turn = 0; turn < MOVES_A_ROUND; turn++) {
      for (String to : weights.keySet().stream().sorted(byExcess).toList()) {
        weights.keySet().stream()
            .filter(from -> weight(to) > 0 && !from.equals(to))
            .sorted(byExcess.reversed())
            .flatMap(from -> best(from, to, excess, left).stream())
            .findFirst()
            .ifPresent(
                slice -> {
                  moves.add(new Move(slice.slice(), slice.owner(), to));
                  left.remove(slice);
                  excess.merge(slice.owner(), (double) -slice.size(), Double::sum);
                  excess.merge(to, (double) slice.size(), Double::sum);
                });
      }
    }
    return moves;
  }

  /** The slice whose move brings the two servers closest to each other. */
  private Optional<Slice> best(
      String from, String to, Map<String, Double> excess, List<Slice> left) {
    double above = excess.get(from);
    double below = -excess.get(to);
    boolean isGivingAll = weight(from) == 0;
    double least = loadOfAll / slices.size() + TINY;
    if (!isGivingAll && (Math.min(above, below) <= TINY || Math.max(above, below) <= least)) {
      return Optional.empty();
    }
    double gap = above + below;
    return left.stream()
        .filter(slice -> slice.owner().equals(from))
        .filter(slice -> isGivingAll || slice.size() < gap - TINY)
        .min(
            comparingDouble((Slice slice) -> Math.abs(gap / 2 - slice.size()))
                .thenComparing(slice -> place(to, slice)));
  }

  /** An order of each server's own, so that servers do not race for the same slices. */
  private List<Slice> inOrderOf(String node) {
    return slices.stream().sorted(comparingLong(slice -> place(node, slice))).toList();
  }

  private static long place(String node, Slice slice) {
    long mixed = (node.hashCode() * 31L + slice.slice()) * 0x9E3779B97F4A7C15L;
    return mixed ^ mixed >>> 32;
  }
}
