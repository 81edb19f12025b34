package io.asyncflow.flowsvr.base.pulse;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.OwnSchema;
import io.asyncflow.flowsvr.base.pulse.MetricStore.Bucket;
import io.asyncflow.flowsvr.base.pulse.TaskPulse.Place;
import io.asyncflow.flowsvr.base.pulse.count.Count;
import io.asyncflow.flowsvr.base.pulse.count.Histogram;
import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.PagedDelete;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** What stands in {@code t_metric} after writes, repeats, two servers and roll-ups. */
@Tag("contract")
class MetricContractIT {

  private static final Place FIRST = new Place("lark", "first");
  private static final Duration HISTORY = Duration.ofDays(14);

  private final OwnSchema schema = new OwnSchema();
  private final JdbcTemplate jdbc = schema.template();
  private final RetryingTransactions transactions =
      new RetryingTransactions(new JdbcTransactionManager(schema.connections()));
  private final MetricStore one = new MetricStore(jdbc, new Node());
  private final MetricStore two = new MetricStore(jdbc, new Node());
  private final MetricRollup rollup =
      new MetricRollup(one, new PagedDelete(transactions), transactions, HISTORY);
  private final long thisMinute = one.now() / 60_000;

  @AfterEach
  void close() {
    schema.close();
  }

  @Test
  void rowHasTheValuesOfItsLastWriteHoweverOftenItIsRepeated() {
    Bucket now = new Bucket(FIRST, thisMinute);
    one.write(Map.of(now, numbers(3, 100)));
    one.write(Map.of(now, numbers(5, 100, 200)));
    one.write(Map.of(now, numbers(5, 100, 200)));

    assertThat(rows()).isEqualTo(1);
    assertThat(sum(FIRST).count(Count.CREATED)).isEqualTo(5);
    assertThat(sum(FIRST).runs().size()).isEqualTo(2);
  }

  @Test
  void everyColumnKeepsItsNumber() {
    Numbers all = new Numbers();
    for (Count count : Count.values()) {
      all.add(count, 10 + count.ordinal());
    }
    all.waits().add(Histogram.bucketOf(77), 3);
    one.write(Map.of(new Bucket(FIRST, thisMinute), all));

    Numbers read = sum(FIRST);
    for (Count count : Count.values()) {
      assertThat(read.count(count)).as(count.name()).isEqualTo(10 + count.ordinal());
    }
    assertThat(read.waits().percentile(0.5)).isEqualTo(all.waits().percentile(0.5));
    assertThat(read.runs().size()).isZero();
  }

  @Test
  void serversWriteRowsOfTheirOwn() {
    Bucket now = new Bucket(FIRST, thisMinute);
    AtOnce.from(
        2,
        server -> {
          MetricStore store = server == 0 ? one : two;
          for (int i = 1; i <= 50; i++) {
            store.write(
                Map.of(now, numbers(i, 100), new Bucket(FIRST, thisMinute - 1), numbers(1)));
          }
          return null;
        });

    assertThat(rows()).isEqualTo(4);
    assertThat(sum(FIRST).count(Count.CREATED)).isEqualTo(50 + 50 + 1 + 1);
  }

  @Test
  void minutesOfYesterdayBecomeTensAndKeepTheirSums() {
    long yesterday = thisMinute - 27 * 60;
    Place second = new Place("lark", "second");
    for (int i = 0; i < 30; i++) {
      one.write(
          Map.of(
              new Bucket(FIRST, yesterday + i), numbers(1, 100),
              new Bucket(second, yesterday + i), numbers(2)));
      two.write(Map.of(new Bucket(FIRST, yesterday + i), numbers(1, 5_000)));
    }
    one.write(Map.of(new Bucket(FIRST, thisMinute), numbers(7)));

    assertThat(rollup.runOnce().rolledUp()).isEqualTo(90);

    assertThat(sum(FIRST).count(Count.CREATED)).isEqualTo(67);
    assertThat(sum(second).count(Count.CREATED)).isEqualTo(60);
    assertThat(sum(FIRST).runs().size()).isEqualTo(60);
    assertThat(rows()).as("at most four tens of each stage, and now").isBetween(7, 9);
    assertThat(minutes("span = 10")).allMatch(minute -> minute % 10 == 0);
    assertThat(minutes("span = 1")).containsExactly(thisMinute);
    assertThat(rollup.runOnce().hadEffect()).isFalse();
  }

  @Test
  void lateMinuteIsAddedToItsTen() {
    long ten = (thisMinute - 27 * 60) / 10 * 10;
    one.write(Map.of(new Bucket(FIRST, ten), numbers(1, 100)));
    rollup.runOnce();
    two.write(Map.of(new Bucket(FIRST, ten + 3), numbers(2, 100)));
    rollup.runOnce();

    assertThat(rows()).isEqualTo(1);
    assertThat(sum(FIRST).count(Count.CREATED)).isEqualTo(3);
    assertThat(sum(FIRST).runs().size()).isEqualTo(2);
  }

  @Test
  void leadersThatRollUpAtOnceCountNothingTwice() {
    long yesterday = thisMinute - 30 * 60;
    Map<Bucket, Numbers> rows = new HashMap<>();
    for (int i = 0; i < 60; i++) {
      for (int stage = 0; stage < 20; stage++) {
        rows.put(new Bucket(new Place("lark", "s" + stage), yesterday + i), numbers(1));
      }
    }
    one.write(rows);
    AtOnce.from(2, leader -> rollup.runOnce());

    assertThat(minutes("span = 1")).isEmpty();
    for (int stage = 0; stage < 20; stage++) {
      assertThat(sum(new Place("lark", "s" + stage)).count(Count.CREATED)).isEqualTo(60);
    }
  }

  @Test
  void tensBeyondTheHistoryAreDeleted() {
    one.write(
        Map.of(
            new Bucket(FIRST, thisMinute - 15 * 24 * 60), numbers(1),
            new Bucket(FIRST, thisMinute - 13 * 24 * 60), numbers(2)));
    MetricRollup.Result result = rollup.runOnce();

    assertThat(result).isEqualTo(new MetricRollup.Result(2, 1));
    assertThat(sum(FIRST).count(Count.CREATED)).isEqualTo(2);
  }

  private static Numbers numbers(int created, long... runs) {
    Numbers numbers = new Numbers();
    numbers.add(Count.CREATED, created);
    for (long ms : runs) {
      numbers.runs().add(Histogram.bucketOf(ms), 1);
    }
    return numbers;
  }

  private Numbers sum(Place place) {
    Numbers sum = new Numbers();
    jdbc.query(
        "SELECT " + Numbers.COLUMNS + " FROM t_metric WHERE task_type = ? AND task_stage = ?",
        rs -> {
          sum.addRow(rs);
        },
        place.type(),
        place.stage());
    return sum;
  }

  private int rows() {
    return jdbc.queryForObject("SELECT COUNT(*) FROM t_metric", Integer.class);
  }

  private Set<Long> minutes(String condition) {
    Map<Long, Boolean> minutes = new TreeMap<>();
    jdbc.query(
        "SELECT minute FROM t_metric WHERE " + condition,
        rs -> {
          minutes.put(rs.getLong(1), true);
        });
    return minutes.keySet();
  }
}
