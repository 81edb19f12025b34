package io.asyncflow.flowsvr.compose.schedule.slice;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.asyncflow.flowsvr.compose.schedule.slice.SlicePlan.Move;
import io.asyncflow.flowsvr.compose.schedule.slice.SliceStore.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters that follow their plans, round by round, in memory. */
class SlicePlanTest {

  private static final int SLICES = 64;
  private static final int ROUNDS = 64; // more than any move of all slices takes

  private record Member(String node, int weight) {}

  /**
   * Servers and slices. Servers take slices one after the other, and move them at the same time.
   */
  private static final class Cluster {
    final List<Member> members = new ArrayList<>();
    final String[] owners = new String[SLICES];
    final long[] loads = new long[SLICES];
    final boolean[] wasVacant = new boolean[SLICES];
    final Random random;

    Cluster(long seed, IntToLongFunction load) {
      random = new Random(seed);
      Arrays.fill(owners, "");
      Arrays.setAll(loads, load);
    }

    Cluster join(String node, int weight) {
      members.add(new Member(node, weight));
      return this;
    }

    /** Its leases end at once. */
    void leave(String node) {
      members.removeIf(member -> member.node().equals(node));
      for (int i = 0; i < SLICES; i++) {
        if (owners[i].equals(node)) {
          owners[i] = "";
          wasVacant[i] = false;
        }
      }
    }

    SlicePlan plan() {
      List<Row> rows =
          IntStream.range(0, SLICES)
              .mapToObj(i -> new Row(i, owners[i], 1, 0, 0, 0, loads[i], 1))
              .toList();
      return new SlicePlan(
          members.stream().collect(toMap(Member::node, Member::weight)),
          rows,
          rows.stream().filter(row -> row.owner().isEmpty()).collect(toSet()));
    }

    List<Integer> takes(String node) {
      return plan().takes(node, row -> wasVacant[row.slice()]).stream().map(Row::slice).toList();
    }

    /** Vacant slices are taken, each by the first that wants it; then slices move. */
    List<Move> round() {
      for (Member member : shuffled()) {
        takes(member.node()).forEach(slice -> owners[slice] = member.node());
      }
      List<Move> moves = plan().moves();
      moves.forEach(move -> owners[move.slice().slice()] = move.to());
      for (int i = 0; i < SLICES; i++) {
        wasVacant[i] = owners[i].isEmpty();
      }
      return moves;
    }

    private List<Member> shuffled() {
      List<Member> order = new ArrayList<>(members);
      Collections.shuffle(order, random);
      return order;
    }

    /** Rounds until nothing moves and nothing is vacant; returns their number. */
    int settle() {
      for (int round = 1; round <= ROUNDS; round++) {
        List<Move> moves = round();
        if (moves.isEmpty() && !Arrays.asList(owners).contains("")) {
          return round;
        }
      }
      throw new AssertionError("still moves after " + ROUNDS + " rounds: " + counts());
    }

    Map<String, Long> counts() {
      Map<String, Long> counts = new HashMap<>();
      members.forEach(member -> counts.put(member.node(), 0L));
      Stream.of(owners).forEach(owner -> counts.merge(owner, 1L, Long::sum));
      return counts;
    }

    double loadOf(String node) {
      return plan().load(node);
    }

    void assertBalanced() {
      SlicePlan plan = plan();
      for (Member member : members) {
        assertThat(plan.load(member.node()))
            .as("%s in %s", member, counts())
            .isCloseTo(plan.share(member.node()), within(1.000_001 * loads[0]));
      }
    }
  }

  private static Cluster equalLoads(long seed) {
    return new Cluster(seed, slice -> 10);
  }

  @Test
  void firstServerTakesAll() {
    Cluster cluster = equalLoads(1).join("a", 100);

    cluster.round();

    assertThat(cluster.counts()).containsExactly(Map.entry("a", 64L));
  }

  @Test
  void oneToThreeGivesSixteenToFortyEight() {
    Cluster apart = equalLoads(2).join("a", 1);
    apart.settle();
    apart.join("b", 3).settle();
    Cluster together = equalLoads(3).join("a", 1).join("b", 3);
    together.settle();

    for (Cluster cluster : List.of(apart, together)) {
      assertThat(cluster.counts().get("a")).isBetween(15L, 17L);
      assertThat(cluster.counts().get("b")).isBetween(47L, 49L);
    }
  }

  @Test
  void tenthServerGetsItsShareAlthoughNoneIsFarAboveItsOwn() {
    Cluster cluster = equalLoads(4);
    IntStream.range(0, 9).forEach(i -> cluster.join("n" + i, 100));
    cluster.settle();

    cluster.join("n9", 100).settle();

    assertThat(cluster.counts().get("n9")).isBetween(6L, 7L);
    cluster.assertBalanced();
  }

  @Test
  void anyClusterReachesItsSharesAndStays() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      Cluster cluster = equalLoads(seed);
      int servers = 1 + random.nextInt(12);
      for (int i = 0; i < servers; i++) {
        cluster.join("n" + i + "-" + seed, 1 + random.nextInt(5));
      }
      for (int i = 0; i < SLICES; i++) { // as it was before they joined
        cluster.owners[i] = cluster.members.get(random.nextInt(servers)).node();
      }

      cluster.settle();

      cluster.assertBalanced();
      for (int round = 0; round < 20; round++) {
        assertThat(cluster.round()).as("moves at rest, seed %d", seed).isEmpty();
      }
    }
  }

  @Test
  void roundMovesSixSlicesAtMostAndThreeToEachOfTwoServers() {
    Cluster cluster = equalLoads(5).join("a", 100);
    cluster.settle();
    cluster.join("b", 100).join("c", 100);

    for (List<Move> moves = cluster.round(); !moves.isEmpty(); moves = cluster.round()) {
      assertThat(moves).hasSizeLessThanOrEqualTo(6).doesNotHaveDuplicates();
      assertThat(moves.stream().filter(move -> move.to().equals("b")).count())
          .isLessThanOrEqualTo(3);
      assertThat(moves).allMatch(move -> move.slice().owner().equals("a"));
    }
    cluster.assertBalanced();
  }

  @Test
  void serverTakesItsShareOfVacantSlicesAndNoMore() {
    Cluster cluster = equalLoads(6).join("a", 100).join("b", 100).join("c", 100);

    assertThat(cluster.takes("a")).hasSize(22);
  }

  @Test
  void sliceThatWasVacantInTheRoundBeforeIsTakenBeyondTheShare() {
    Cluster cluster = equalLoads(17).join("a", 100).join("dead", 100);
    Arrays.fill(cluster.wasVacant, true);

    assertThat(cluster.takes("a")).hasSize(SLICES);
  }

  @Test
  void slicesOfADyingServerGoToTheOthersByTheirShares() {
    Cluster cluster = equalLoads(7).join("a", 100).join("b", 100).join("c", 200);
    cluster.settle();

    cluster.leave("c");
    cluster.round();

    assertThat(cluster.counts()).doesNotContainKey("");
    cluster.settle();
    cluster.assertBalanced();
  }

  @Test
  void lastServerOwnsAllWhenAllOthersLeave() {
    Cluster cluster = equalLoads(8);
    IntStream.range(0, 8).forEach(i -> cluster.join("n" + i, 100));
    cluster.settle();

    IntStream.range(1, 8).forEach(i -> cluster.leave("n" + i));
    cluster.round();

    assertThat(cluster.counts()).containsExactly(Map.entry("n0", 64L));
  }

  @Test
  void serversThatComeAndGoLeaveABalancedClusterBehind() {
    for (long seed = 0; seed < 50; seed++) {
      Cluster cluster = equalLoads(seed).join("stays", 100);
      Random random = new Random(seed);
      for (int i = 0; i < 30; i++) {
        if (cluster.members.size() > 1 && random.nextBoolean()) {
          cluster.leave(cluster.members.get(1 + random.nextInt(cluster.members.size() - 1)).node());
        } else {
          cluster.join("n" + i, 50 + random.nextInt(200));
        }
        cluster.round();
      }
      cluster.settle();
      cluster.assertBalanced();
    }
  }

  @Test
  void serverOfWeightZeroTakesNothingAndGivesAllAway() {
    Cluster cluster = equalLoads(9).join("idle", 0).join("a", 100);
    Arrays.fill(cluster.owners, "idle");
    assertThat(cluster.takes("idle")).isEmpty();

    cluster.settle();

    assertThat(cluster.counts()).containsEntry("idle", 0L).containsEntry("a", 64L);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void skewedLoadsComeToRestCloseToTheirShares(long seed) {
    Random random = new Random(seed);
    Cluster cluster = new Cluster(seed, slice -> Math.round(Math.pow(10, 4 * random.nextDouble())));
    cluster.join("a", 100).settle();

    cluster.join("b", 100).join("c", 200).settle();

    double largest = Arrays.stream(cluster.loads).max().orElseThrow();
    SlicePlan plan = cluster.plan();
    assertThat(cluster.members)
        .allSatisfy(
            member ->
                assertThat(plan.load(member.node()))
                    .isCloseTo(plan.share(member.node()), within(largest)));
    assertThat(cluster.round()).isEmpty();
  }

  @Test
  void sliceThatIsMoreThanAShareDoesNotMoveForEver() {
    Cluster cluster = new Cluster(13, slice -> slice == 7 ? 10_000 : 10);
    cluster.join("a", 100).settle();

    cluster.join("b", 100).settle();

    assertThat(cluster.counts().values()).containsExactlyInAnyOrder(1L, 63L);
    assertThat(cluster.loadOf(cluster.owners[7])).isEqualTo(10_000);
  }

  @Test
  void slicesWithoutSchedulesAreDistributedToo() {
    Cluster cluster = new Cluster(14, slice -> 0).join("a", 100);
    cluster.settle();

    cluster.join("b", 100).settle();

    assertThat(cluster.counts().get("b")).isBetween(31L, 33L);
  }

  @Test
  void serverThatIsNotAliveIsNotAsked() {
    Cluster cluster = equalLoads(15).join("a", 100);
    Arrays.fill(cluster.owners, 0, 40, "dead");
    Arrays.fill(cluster.owners, 40, SLICES, "a");

    assertThat(cluster.plan().moves()).isEmpty();
  }
}
