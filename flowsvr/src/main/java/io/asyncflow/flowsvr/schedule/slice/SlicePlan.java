package io.asyncflow.flowsvr.schedule.slice;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingDouble;
import static java.util.Comparator.comparingLong;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which server shall own which slices: a pure function of the live servers and the 64 rows.
 *
 * <p>Every server computes the plan of all servers and does only its own part of it. So servers
 * that read the same rows ask for different slices, and together move no more than one of them
 * would.
 *
 * <p><b>Share.</b> The load of all slices is distributed by weight, to each server at most its
 * {@code maxLoad}; what that keeps from one server goes to the others. A slice without schedules
 * counts as a load of 1, so that empty slices are distributed as well.
 *
 * <p><b>Vacant slices.</b> A server takes them while its load is below its share and the slice does
 * not lift it above its {@code maxLoad}. A share may be that of a server that died a moment ago, so
 * a slice that was vacant in the round before is taken beyond the share: moves restore the balance,
 * but nothing makes up for a late fire. A slice that has been vacant for 30 s is taken by the
 * server that it lifts above its {@code maxLoad} least: a late schedule is worse than a full
 * server. If that server does not take it in 6 s, the next one does.
 *
 * <p><b>Moves.</b> A server below its share asks the server that is furthest above its share for a
 * slice, if one of the two is off by more than a mean slice. It asks only for a slice that brings
 * the two loads closer to their shares: the sum of the squared distances falls with each move, so
 * moves end and never go in circles. A server asks for three slices a round at most. Servers of
 * weight 0 give away all that they own.
 *
 * <p>Where the loads of all slices are equal, no server ends further from its share than one slice.
 * Immutable.
 */
final class SlicePlan {

  static final int MOVES_A_ROUND = 3;
  static final long SHARES_FIRST_MS = 500; // less than a round
  static final long PATIENCE_MS = 30_000;
  static final long NEXT_TAKER_MS = 6_000;
  private static final double TINY = 1e-6; // less than any load, more than any rounding

  /**
   * A live server.
   *
   * @param maxLoad 0 for no limit
   */
  record Member(String node, int weight, long maxLoad) {}

  /**
   * A slice.
   *
   * @param owner empty if it is vacant
   * @param candidate empty if it is promised to none
   * @param vacantMs how long it has been vacant
   */
  record Slice(int slice, String owner, String candidate, long load, long vacantMs) {

    long size() {
      return Math.max(1, load);
    }
  }

  /** A slice that shall move. */
  record Move(int slice, String from, String to) {}

  private final Map<String, Member> members = new TreeMap<>();
  private final List<Slice> slices;
  private final Map<String, Double> shares = new HashMap<>();
  private final Map<String, Double> loads = new HashMap<>();
  private final double meanSlice;

  SlicePlan(List<Member> members, List<Slice> slices) {
    members.forEach(member -> this.members.put(member.node(), member));
    this.slices = slices;
    double total = slices.stream().mapToLong(Slice::size).sum();
    this.meanSlice = total / slices.size();
    distribute(total);
    this.members.keySet().forEach(node -> loads.put(node, 0.0));
    slices.forEach(slice -> loads.computeIfPresent(holderOf(slice), (k, l) -> l + slice.size()));
  }

  /** Shares by weight; what exceeds a limit is distributed again among the others. */
  private void distribute(double total) {
    List<Member> open = new ArrayList<>(members.values());
    members.keySet().forEach(node -> shares.put(node, 0.0));
    open.removeIf(member -> member.weight() == 0);
    double left = total;
    while (!open.isEmpty()) {
      double weights = open.stream().mapToDouble(Member::weight).sum();
      double load = left;
      open.forEach(member -> shares.put(member.node(), load * member.weight() / weights));
      List<Member> full =
          open.stream().filter(m -> m.maxLoad() > 0 && shares.get(m.node()) > m.maxLoad()).toList();
      if (full.isEmpty()) {
        return;
      }
      for (Member member : full) {
        shares.put(member.node(), (double) member.maxLoad());
        left -= member.maxLoad();
      }
      open.removeAll(full);
    }
  }

  /** Who has the slice or was promised it. */
  private String holderOf(Slice slice) {
    return !slice.owner().isEmpty() && members.containsKey(slice.candidate())
        ? slice.candidate()
        : slice.owner();
  }

  /** The load that a server shall have; 0 for an unknown one. */
  double share(String node) {
    return shares.getOrDefault(node, 0.0);
  }

  /** What it owns and was promised, less what it has promised. */
  double load(String node) {
    return loads.getOrDefault(node, 0.0);
  }

  /** The vacant slices that this server takes now. */
  List<Integer> takes(String me) {
    Member self = members.get(me);
    if (self == null || self.weight() == 0) {
      return List.of();
    }
    List<Slice> vacant = slices.stream().filter(slice -> slice.owner().isEmpty()).toList();
    Set<Integer> taken = new LinkedHashSet<>();
    double load = load(me);
    for (Slice slice : inOrderOf(me, vacant)) {
      boolean isFree = load < share(me) - TINY || slice.vacantMs() >= SHARES_FIRST_MS;
      if (isFree && fits(self, load, slice)) {
        taken.add(slice.slice());
        load += slice.size();
      }
    }
    taken.addAll(overdue(me, vacant));
    return List.copyOf(taken);
  }

  /** Those of the slices that no server has had room for that are this server's to take. */
  private List<Integer> overdue(String me, List<Slice> vacant) {
    List<Integer> mine = new ArrayList<>();
    Map<String, Double> planned = new HashMap<>(loads);
    for (Slice slice : vacant) { // in the same order on every server
      if (slice.vacantMs() >= PATIENCE_MS) {
        String taker = taker(slice, planned);
        planned.merge(taker, (double) slice.size(), Double::sum);
        if (taker.equals(me)) {
          mine.add(slice.slice());
        }
      }
    }
    return mine;
  }

  private String taker(Slice slice, Map<String, Double> planned) {
    List<Member> takers =
        members.values().stream()
            .filter(member -> member.weight() > 0)
            .sorted(
                comparingDouble((Member m) -> excess(m, planned.get(m.node()) + slice.size()))
                    .thenComparing(Member::node))
            .toList();
    long turn = (slice.vacantMs() - PATIENCE_MS) / NEXT_TAKER_MS;
    return takers.get((int) (turn % takers.size())).node();
  }

  /** How far above its limit, or without one above its share, a server would be. */
  private double excess(Member member, double load) {
    return load - (member.maxLoad() > 0 ? member.maxLoad() : share(member.node()));
  }

  /** The slices that this server asks for now. */
  List<Move> asks(String me) {
    return moves().stream().filter(move -> move.to().equals(me)).toList();
  }

  /** What all servers ask for now, in order. */
  List<Move> moves() {
    Map<String, Double> planned = new HashMap<>(loads);
    Map<String, Integer> asked = new HashMap<>();
    List<Slice> movable =
        new ArrayList<>(
            slices.stream()
                .filter(s -> members.containsKey(s.owner()) && s.candidate().isEmpty())
                .toList());
    List<Move> moves = new ArrayList<>();
    for (Optional<Move> next = nextMove(planned, asked, movable);
        next.isPresent();
        next = nextMove(planned, asked, movable)) {
      Move move = next.get();
      moves.add(move);
      Slice moved = movable.stream().filter(s -> s.slice() == move.slice()).findAny().orElseThrow();
      movable.remove(moved);
      planned.merge(move.from(), (double) -moved.size(), Double::sum);
      planned.merge(move.to(), (double) moved.size(), Double::sum);
      asked.merge(move.to(), 1, Integer::sum);
    }
    return moves;
  }

  /** The move to the server furthest below its share that any server furthest above can serve. */
  private Optional<Move> nextMove(
      Map<String, Double> planned, Map<String, Integer> asked, List<Slice> movable) {
    Comparator<Member> byDistance =
        comparingDouble((Member m) -> distance(m, planned)).thenComparing(Member::node);
    List<Member> sorted = members.values().stream().sorted(byDistance).toList();
    for (Member to : sorted) {
      if (to.weight() == 0 || asked.getOrDefault(to.node(), 0) >= MOVES_A_ROUND) {
        continue;
      }
      for (int i = sorted.size() - 1; i >= 0; i--) {
        Optional<Slice> slice = bestSlice(sorted.get(i), to, planned, movable);
        if (slice.isPresent()) {
          return Optional.of(new Move(slice.get().slice(), sorted.get(i).node(), to.node()));
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Slice> bestSlice(
      Member from, Member to, Map<String, Double> planned, List<Slice> movable) {
    double above = distance(from, planned);
    double below = distance(to, planned);
    boolean isGivingAll = from.weight() == 0 && from != to;
    boolean isOff =
        above > TINY && below < -TINY && (above > meanSlice + TINY || below < -meanSlice - TINY);
    if (!isGivingAll && !isOff) {
      return Optional.empty();
    }
    return movable.stream()
        .filter(slice -> slice.owner().equals(from.node()))
        .filter(slice -> fits(to, planned.get(to.node()), slice))
        .filter(slice -> isGivingAll || gain(slice, above - below) > TINY)
        .max(
            comparingDouble((Slice slice) -> gain(slice, above - below))
                .thenComparing(slice -> -place(to.node(), slice)));
  }

  /** By how much (halved) a move shrinks the sum of the squared distances from the shares. */
  private static double gain(Slice slice, double gap) {
    return slice.size() * (gap - slice.size());
  }

  private double distance(Member member, Map<String, Double> planned) {
    return planned.get(member.node()) - share(member.node());
  }

  private static boolean fits(Member member, double load, Slice slice) {
    return member.maxLoad() == 0 || load + slice.size() <= member.maxLoad();
  }

  /**
   * To whom the given slices go if their owner shall not have them: each to the server that is then
   * furthest below its share; empty if there is no other server.
   */
  List<Move> spread(String from, List<Integer> given) {
    Map<String, Double> planned = new HashMap<>(loads);
    List<Move> moves = new ArrayList<>();
    List<Slice> largestFirst =
        slices.stream()
            .filter(slice -> given.contains(slice.slice()))
            .sorted(comparingLong(Slice::size).reversed().thenComparing(Slice::slice))
            .toList();
    for (Slice slice : largestFirst) {
      members.values().stream()
          .filter(member -> member.weight() > 0 && !member.node().equals(from))
          .min(
              comparing((Member m) -> !fits(m, planned.get(m.node()), slice))
                  .thenComparing(m -> distance(m, planned)))
          .ifPresent(
              to -> {
                moves.add(new Move(slice.slice(), from, to.node()));
                planned.merge(to.node(), (double) slice.size(), Double::sum);
              });
    }
    return moves;
  }

  /** An order of each server's own, so that servers do not race for the same slices. */
  private static List<Slice> inOrderOf(String node, List<Slice> some) {
    return some.stream().sorted(comparingLong(slice -> place(node, slice))).toList();
  }

  private static long place(String node, Slice slice) {
    long mixed = (node.hashCode() * 31L + slice.slice()) * 0x9E3779B97F4A7C15L;
    return mixed ^ mixed >>> 32;
  }
}
