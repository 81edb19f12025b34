package io.asyncflow.flowsvr.operate.stats.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.stats.Series;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.operate.stats.history.FailureHistoryStore.Row;
import io.asyncflow.flowsvr.operate.stats.history.SeriesQueries.Asked;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** How many rows the history reads, and of which types. */
@UnsweptServer
@Tag("contract")
class HistoryIT {

  @Autowired JdbcClient jdbc;
  @Autowired ReadDatabase reads;
  @Autowired Node node;
  @Autowired MetricHistoryStore metrics;
  @Autowired FailureHistoryStore failures;

  private long now() {
    return reads.inTurn(reads::now);
  }

  /** Rows of as many writers in each minute, of one created task each. */
  private void metrics(String type, long fromMinute, int minutes, int writers) {
    for (int minute = 0; minute < minutes; minute++) {
      List<String> rows = new ArrayList<>();
      for (int writer = 1; writer <= writers; writer++) {
        rows.add(
            "('%s', '', %s, %s, 1, 1, 0,0,0,0,0,0,0,0,0,0,0, '', '')"
                .formatted(type, fromMinute + minute, writer));
      }
      jdbc.sql("INSERT INTO t_metric VALUES " + String.join(", ", rows)).update();
    }
  }

  private static long created(Series series) {
    return series.series().get("created").stream()
        .filter(Objects::nonNull)
        .mapToLong(Long::longValue)
        .sum();
  }

  private Series series(int most, long fromMinute, int minutes, String... types) {
    long from = Duration.ofMinutes(fromMinute).toMillis();
    long to = from + Duration.ofMinutes(minutes).toMillis();
    return new SeriesQueries(metrics, reads, node, most)
        .get(new Asked(new TreeSet<>(List.of(types)), "", from, to, 500));
  }

  @Test
  void seriesReadsABoundedNumberOfRowsAndTheLatestFirst() {
    long begin = Duration.ofMillis(now()).toMinutes() - 70;
    metrics("history1", begin, 60, 120);
    metrics("history2", begin, 60, 10);

    Series whole = series(10_000, begin, 60, "history1", "history2");
    assertThat(whole.whole()).isTrue();
    assertThat(created(whole)).isEqualTo(60 * 130);

    Series cut = series(6_000, begin, 60, "history1");
    assertThat(cut.whole()).isFalse();
    assertThat(created(cut)).isEqualTo(6_000);
    List<Long> steps = cut.series().get("created");
    assertThat(steps.get(0)).isZero();
    assertThat(series(6_000, begin, 60, "history1", "history2").whole()).isFalse();
  }

  private void failures(String type, long hour, int groups) {
    List<String> rows = new ArrayList<>();
    for (int group = 1; group <= groups; group++) {
      rows.add("('%s', %s, %s, 1, 's', 'FAIL', 1, 1, 1, 1, '', '')".formatted(type, hour, group));
    }
    jdbc.sql("INSERT INTO t_failure_group VALUES " + String.join(", ", rows)).update();
  }

  @Test
  void typeWithManyGroupsTakesNoRowsFromTheOthers() {
    long hour = Duration.ofMillis(now()).toHours();
    failures("history3", hour, 300);
    failures("history4", hour, 30);
    failures("history5", hour - 1, 40);
    List<String> types = List.of("history3", "history4", "history5");

    List<Row> some = new ArrayList<>();
    boolean isWhole = reads.inTurn(() -> failures.read(types, hour - 1, hour, 200, some::add));

    assertThat(isWhole).isFalse();
    assertThat(some).hasSizeBetween(180, 200).doesNotHaveDuplicates();
    Map<String, Long> ofType =
        some.stream()
            .collect(Collectors.groupingBy(row -> row.key().type(), Collectors.counting()));
    assertThat(ofType).containsEntry("history4", 30L).containsEntry("history5", 40L);

    List<Row> all = new ArrayList<>();
    assertThat(reads.inTurn(() -> failures.read(types, hour - 1, hour, 1_000, all::add))).isTrue();
    assertThat(all).hasSize(370).doesNotHaveDuplicates();
  }
}
