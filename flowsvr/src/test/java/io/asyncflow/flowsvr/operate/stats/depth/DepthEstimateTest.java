package io.asyncflow.flowsvr.operate.stats.depth;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How ranges are cut, and what is made of the guesses; the index is a function. */
class DepthEstimateTest {

  private static final Source PLACE =
      new Source(new TaskTable(new TaskType("lark"), 1), TaskStatus.WAITING, "first", "");

  private final List<Integer> statements = new ArrayList<>();
  private int mostStatements = Integer.MAX_VALUE;

  /** As InnoDB guesses: small ranges exactly, larger ones twice. */
  private DepthEstimate estimateOf(long[] times) {
    return new DepthEstimate(
        ranges -> {
          statements.add(ranges.size());
          return ranges.stream()
              .map(
                  range -> {
                    long count =
                        LongStream.of(times)
                            .filter(time -> time >= range.from() && time < range.to())
                            .count();
                    return count == 0 ? 1 : count <= 4_000 ? count : 2 * count;
                  })
              .toList();
        },
        () -> statements.size() >= mostStatements);
  }

  @Test
  void everyTaskIsInOnePart() {
    long[] times = LongStream.range(0, 3_000).map(i -> i * 13 % 10_007).toArray();
    assertThat(estimateOf(times).of(List.of(new Range(PLACE, 0, 10_007)))).containsExactly(3_000L);
  }

  @Test
  void smallRangesAreNotCut() {
    long[] times = {5, 5, 6, 6};
    assertThat(estimateOf(times).of(List.of(new Range(PLACE, 5, 6), new Range(PLACE, 5, 7))))
        .containsExactly(2L, 4L);
    assertThat(statements).containsExactly(2);
  }

  @Test
  void fullPartIsCutAgainAndFewStatementsAreSent() {
    long month = 30L * 24 * 3_600_000;
    long[] times =
        LongStream.range(0, 200_000)
            .map(i -> i == 0 ? 0 : month - 1 - i * 17 % 3_600_000)
            .toArray();
    long estimate = estimateOf(times).of(List.of(new Range(PLACE, 0, month))).get(0);

    assertThat(estimate).isBetween(199_000L, 200_000L);
    assertThat(statements).hasSizeLessThanOrEqualTo(5).allMatch(parts -> parts <= 160);
  }

  @Test
  void estimateForWhichThereIsNoTimeIsNone() {
    long[] times = LongStream.range(0, 200_000).map(i -> i == 0 ? 0 : 1_000_000_000 + i).toArray();
    List<Range> range = List.of(new Range(PLACE, 0, 1_001_000_000));
    mostStatements = 1;
    assertThat(estimateOf(times).of(range)).isEmpty();
    mostStatements = 0;
    assertThat(estimateOf(times).of(range)).isEmpty();
    assertThat(statements).hasSize(1);
  }

  @Test
  void manySmallRangesOrThePartsOfFiveLargeOnesFitOneStatement() {
    List<Range> small =
        LongStream.range(0, 160).mapToObj(i -> new Range(PLACE, i * 100, i * 100 + 100)).toList();
    assertThat(estimateOf(LongStream.range(0, 16_000).toArray()).of(small)).containsOnly(100L);
    assertThat(statements).containsExactly(160);

    statements.clear();
    List<Range> large =
        LongStream.range(0, 5)
            .mapToObj(i -> new Range(PLACE, i * 5_000, i * 5_000 + 5_000))
            .toList();
    assertThat(estimateOf(LongStream.range(0, 25_000).toArray()).of(large)).containsOnly(5_000L);
    assertThat(statements).containsExactly(5, 160);
  }
}
