package io.asyncflow.flowsvr.operate.stats.depth;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RowsRead;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.index.SourceWalk.Heads;
import io.asyncflow.flowsvr.task.index.TaskIndexStore;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What the numbers cost on a table with 20,000 waiting tasks, 5,000 that are due later and 20,000
 * that are done: index entries that the engine has touched.
 */
@UnsweptServer
@Tag("contract")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StatsPlanIT {

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired TransactionTemplate transaction;

  private TaskTable table;
  private long now;

  @BeforeAll
  void aFullTable() {
    TaskType type = given.aType().create();
    TaskId first =
        given.aWaitingTask().ofType(type).inStage("mine").dueSince(1, TimeUnit.HOURS).create();
    table = first.table();
    now = given.row(first).now();
    given.copies(first, 1, 20_000, "status = 1, order_time = order_time + id");
    given.copies(first, 30_000, 5_000, "status = 1, order_time = " + now + " + 3600000 + id");
    given.copies(first, 40_000, 20_000, "status = 4");
    jdbc.sql("ANALYZE TABLE " + table.sqlName()).query().listOfRows();
  }

  /** Reads in the caller's transaction, so that the engine's counters are those of the test. */
  private TaskIndexStore store() {
    return new TaskIndexStore(jdbc, () -> false);
  }

  @Test
  void countReadsNoMoreThanItsLimit() {
    Range due = new Range(new Source(table, TaskStatus.WAITING, "mine", ""), 0, now + 1);
    assertThat(rowsReadBy(() -> store().count(List.of(due), 101))).isLessThanOrEqualTo(210);
    Range done = new Range(new Source(table, TaskStatus.SUCCESS, "mine", ""), 0, Long.MAX_VALUE);
    assertThat(rowsReadBy(() -> store().count(List.of(done), 1_001))).isLessThanOrEqualTo(2_010);
  }

  @Test
  void firstTasksAreAFewEntriesEach() {
    Source before = Source.before(table, TaskStatus.WAITING);
    Source behind = new Source(table, TaskStatus.WAITING, "mine", "");
    assertThat(rowsReadBy(() -> store().next(List.of(before, behind)))).isLessThanOrEqualTo(10);
    assertThat(store().next(List.of(behind))).isEmpty();
  }

  @Test
  void guessesReadNoRows() {
    Range due = new Range(new Source(table, TaskStatus.WAITING, "mine", ""), 0, now + 1);
    assertThat(rowsReadBy(() -> store().guesses(Collections.nCopies(160, due))))
        .isLessThanOrEqualTo(10);
    assertThat(store().guesses(List.of(due)).get(0)).isGreaterThan(10_000);
  }

  @Test
  void whatThereIsNoTimeForIsNotCounted() {
    Source mine = new Source(table, TaskStatus.WAITING, "mine", "");
    Depths depths = new Depths(new TaskIndexStore(jdbc, () -> true), new Node(), true);
    List<Head> firsts = List.of(new Head(mine, 1, 0, 0, now));

    Heads found = depths.firsts(List.of(table), List.of(TaskStatus.WAITING));
    assertThat(found.list()).isEmpty();
    assertThat(found.cut()).containsExactly(table);
    assertThat(depths.due(firsts, 100)).containsEntry(mine, BoundedCount.atLeast(1));
    assertThat(depths.later(firsts, 100)).containsEntry(mine, BoundedCount.atLeast(0));

    AtomicInteger left = new AtomicInteger(1); // a statement
    Depths counting =
        new Depths(new TaskIndexStore(jdbc, () -> left.getAndDecrement() <= 0), new Node(), true);
    assertThat(counting.due(firsts, 100)).containsEntry(mine, BoundedCount.atLeast(100));
  }

  private long rowsReadBy(Supplier<?> read) {
    return transaction.execute(
        status -> {
          read.get(); // once before, so that what the engine looks up once is not counted
          return RowsRead.by(jdbc, read::get);
        });
  }
}
