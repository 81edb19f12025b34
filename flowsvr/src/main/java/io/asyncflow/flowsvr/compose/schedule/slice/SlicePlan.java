package io.asyncflow.flowsvr.compose.schedule.slice;

import static java.util.Comparator.comparingDouble;
import static java.util.Comparator.comparingLong;

import io.asyncflow.flowsvr.compose.schedule.slice.SliceStore.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

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
 * difference of the two moves: the two come closer to each other with each move, so moves end.
 * Servers of weight 0 give away all that they own.
 */
final class SlicePlan {

  static final int MOVES_A_ROUND = 6;
  private static final double TINY = 1e-6; // less than any load, more than any rounding

  /** A slice that its owner shall hand over. */
  record Move(Row slice, String to) {}

  private final Map<String, Integer> weights;
  private final List<Row> slices;
  private final Set<Row> vacant;
  private final double weightOfAll;
  private final double loadOfAll;

  /**
   * @param weights of the live servers, by node
   * @param vacant those of the slices that have no owner
   */
  SlicePlan(Map<String, Integer> weights, List<Row> slices, Set<Row> vacant) {
    this.weights = new TreeMap<>(weights);
    this.slices = slices;
    this.vacant = vacant;
    this.weightOfAll = weights.values().stream().mapToInt(Integer::intValue).sum();
    this.loadOfAll = slices.stream().mapToLong(Row::size).sum();
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
    return slices.stream()
        .filter(slice -> slice.owner().equals(node) && !vacant.contains(slice))
        .mapToLong(Row::size)
        .sum();
  }

  /**
   * The vacant slices that this server takes now.
   *
   * @param isOverdue whether a slice was vacant in the round before, too
   */
  List<Row> takes(String me, Predicate<Row> isOverdue) {
    List<Row> taken = new ArrayList<>();
    double load = load(me);
    // Each server has an order of its own, so that servers do not race for the same slices.
    for (Row slice : vacant.stream().sorted(comparingLong(one -> place(me, one))).toList()) {
      if (weight(me) > 0 && (load < share(me) - TINY || isOverdue.test(slice))) {
        taken.add(slice);
        load += slice.size();
      }
    }
    return taken;
  }

  private static long place(String node, Row slice) {
    long mixed = (node.hashCode() * 31L + slice.slice()) * 0x9E3779B97F4A7C15L;
    return mixed ^ mixed >>> 32;
  }

  /** What all servers hand over now: nothing while slices are vacant, which loads depend on. */
  List<Move> moves() {
    Map<String, Double> excess = new TreeMap<>();
    weights.keySet().forEach(node -> excess.put(node, load(node) - share(node)));
    List<Row> left = new ArrayList<>(slices);
    List<Move> moves = new ArrayList<>();
    for (int i = 0; i < MOVES_A_ROUND && vacant.isEmpty(); i++) {
      next(excess, left)
          .ifPresent(
              move -> {
                double size = move.slice().size();
                moves.add(move);
                left.remove(move.slice());
                excess.merge(move.slice().owner(), -size, Double::sum);
                excess.merge(move.to(), size, Double::sum);
              });
    }
    return moves;
  }

  /** The move from the server furthest above its share that has one, to the one furthest below. */
  private Optional<Move> next(Map<String, Double> excess, List<Row> left) {
    return weights.keySet().stream()
        .filter(node -> weight(node) > 0)
        .min(comparingDouble(excess::get))
        .flatMap(
            to ->
                weights.keySet().stream()
                    .sorted(comparingDouble(from -> -excess.get(from)))
                    .flatMap(from -> best(from, excess.get(from), -excess.get(to), left).stream())
                    .findFirst()
                    .map(slice -> new Move(slice, to)));
  }

  /** The slice whose move brings two servers closest to each other. */
  private Optional<Row> best(String from, double above, double below, List<Row> left) {
    double gap = above + below;
    boolean isGivingAll = weight(from) == 0;
    boolean isUneven =
        Math.min(above, below) > TINY && Math.max(above, below) > loadOfAll / slices.size() + TINY;
    return left.stream()
        .filter(slice -> slice.owner().equals(from))
        .filter(slice -> isGivingAll || isUneven && slice.size() < gap - TINY)
        .min(comparingDouble(slice -> Math.abs(gap / 2 - slice.size())));
  }
}
