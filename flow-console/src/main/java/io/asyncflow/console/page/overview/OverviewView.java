package io.asyncflow.console.page.overview;

import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.Overview.TypeNumbers;
import io.asyncflow.console.chart.Spark;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.worker.Fleet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What the overview shows.
 *
 * @param staleSince epoch ms of what it shows, if the server could not read anything later; else
 *     {@code null}
 * @param isWall whether it is looked at from afar
 * @param problems those that there is room for
 * @param unshown how many more there are
 */
public record OverviewView(
    Long staleSince,
    boolean isWall,
    List<Problem> problems,
    int unshown,
    Totals totals,
    List<Row> rows) {

  /**
   * All types together.
   *
   * @param oldestDue epoch ms since when the oldest due task has been due; {@code null} if none is
   * @param finished tasks that ended, minute by minute
   * @param workers by state; {@code null} if the operator may not see them
   */
  public record Totals(
      BoundedCount due,
      Long oldestDue,
      BoundedCount executing,
      Spark finished,
      long failed,
      Map<String, Integer> workers) {

    static Totals of(List<Row> rows, Fleet workers) {
      List<TypeNumbers> types = rows.stream().map(Row::numbers).toList();
      return new Totals(
          types.stream().map(TypeNumbers::due).reduce(BoundedCount.ZERO, BoundedCount::plus),
          rows.stream()
              .map(Row::oldestDue)
              .filter(Objects::nonNull)
              .min(Long::compare)
              .orElse(null),
          types.stream().map(TypeNumbers::executing).reduce(BoundedCount.ZERO, BoundedCount::plus),
          rows.stream().map(Row::spark).reduce(Spark.flat(0), Spark::plus),
          types.stream().mapToLong(type -> type.lastHour().failed()).sum(),
          workers == null ? null : workers.counts());
    }
  }

  /**
   * A type.
   *
   * @param oldestDue as in {@link Totals}
   * @param isLate whether its due tasks wait for too long
   * @param act to pause or to resume it
   */
  public record Row(TypeNumbers numbers, Long oldestDue, Spark spark, boolean isLate, Act act) {}
}
