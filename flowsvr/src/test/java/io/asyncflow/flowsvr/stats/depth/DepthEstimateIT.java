package io.asyncflow.flowsvr.stats.depth;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.stats.depth.DepthStore.Range;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The habits of an optimizer that {@link DepthEstimate} relies on. If an engine changes them, this
 * fails; {@code --flow.stats.estimate=false} then shows lower bounds instead.
 */
@UnsweptServer
@Tag("contract")
class DepthEstimateIT {

  private static final long HOUR = TimeUnit.HOURS.toMillis(1);
  private static final long MONTH = TimeUnit.DAYS.toMillis(30);

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired DepthStore store;
  @Autowired ReadDatabase database;

  @ParameterizedTest
  @ValueSource(ints = {100, 1_000, 10_000, 100_000})
  void evenTasks(int tasks) {
    assertNear(tasks, "order_time = <from> + (id * 7919) % " + HOUR, HOUR);
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 1_000, 10_000, 100_000})
  void twentyBursts(int tasks) {
    assertNear(
        tasks,
        "order_time = <from> + IF(id % 10 = 0, (id * 7919) % "
            + HOUR
            + ", (id % 20) * 180000 + (id * 31) % 500)",
        HOUR);
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 1_000, 10_000, 100_000})
  void headThatIsAMonthOld(int tasks) {
    assertNear(tasks, "order_time = <to> - (id * 7919) % " + HOUR, MONTH);
  }

  private void assertNear(int tasks, String orderTime, long length) {
    TaskType type = given.aType().create();
    TaskId head = given.aWaitingTask().ofType(type).inStage("mine").create();
    TaskTable table = head.table();
    long to = given.row(head).now();
    long from = to - length;
    String assigned =
        orderTime.replace("<from>", "" + from).replace("<to>", "" + to) + ", status = 1";
    for (int done = 1; done < tasks; done += 10_000) {
      given.copies(head, done, Math.min(10_000, tasks - done), assigned);
    }
    given.copies(head, 1_000_000, 2_000, "status = 1, task_stage = 'other'");
    given.set(head, "order_time = " + from);
    jdbc.sql("ANALYZE TABLE " + table.sqlName()).query().listOfRows(); // as it does by itself

    Range range = new Range(new Place(table, TaskStatus.WAITING, "mine", ""), from, to + 1);
    long estimate =
        database.inTurn(() -> new DepthEstimate(store::guesses).of(List.of(range))).get(0);
    System.out.printf("%d tasks are estimated as %d%n", tasks, estimate);
    assertThat((double) estimate / tasks).isBetween(0.75, 1.35);
  }
}
