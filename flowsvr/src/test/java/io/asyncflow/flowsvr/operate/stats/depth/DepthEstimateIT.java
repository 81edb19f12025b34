package io.asyncflow.flowsvr.operate.stats.depth;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.OwnSchema;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.index.TaskIndexStore;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The habits of an optimizer that {@link DepthEstimate} relies on. If an engine changes them, this
 * fails; {@code --flow.stats.estimate=false} then shows lower bounds instead.
 */
@Tag("contract")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DepthEstimateIT {

  private static final long HOUR = TimeUnit.HOURS.toMillis(1);
  private static final long MONTH = TimeUnit.DAYS.toMillis(30);
  private static final long FROM = 1_795_000_000_000L;
  private static final int ROWS_A_STATEMENT = 5_000;

  private final OwnSchema schema = new OwnSchema(Duration.ofMinutes(1));
  private final JdbcClient jdbc = schema.jdbc();
  private int tables;

  @AfterAll
  void close() {
    schema.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 1_000, 10_000, 100_000})
  void evenTasks(int tasks) {
    assertNear(tasks, "(n * 7919) % " + HOUR, HOUR, "mine");
  }

  @ParameterizedTest
  @ValueSource(ints = {10_000, 100_000})
  void evenTasksOfAStageWithALongName(int tasks) {
    assertNear(tasks, "(n * 7919) % " + HOUR, HOUR, "m".repeat(64));
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 1_000, 10_000, 100_000})
  void twentyBursts(int tasks) {
    assertNear(
        tasks,
        "IF(n % 10 = 0, (n * 7919) % " + HOUR + ", (n % 20) * 180000 + (n * 31) % 500)",
        HOUR,
        "mine");
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 1_000, 10_000, 100_000})
  void headThatIsAMonthOld(int tasks) {
    assertNear(
        tasks, "IF(n = 0, 0, " + (MONTH - HOUR) + " + (n * 7919) % " + HOUR + ")", MONTH, "mine");
  }

  /**
   * @param place of the n-th task, in ms from the beginning
   */
  private void assertNear(int tasks, String place, long length, String stage) {
    TaskTable table = new TaskTable(new TaskType("lark"), ++tables);
    jdbc.sql("CREATE TABLE " + table.sqlName() + " LIKE t_task_template").update();
    fill(table, 0, tasks, stage, place);
    fill(table, 1_000_000, 2_000, "other", "n");
    jdbc.sql("ANALYZE TABLE " + table.sqlName()).query().listOfRows(); // as it does by itself

    Range range = new Range(new Source(table, TaskStatus.WAITING, stage, ""), FROM, FROM + length);
    long estimate =
        new DepthEstimate(new TaskIndexStore(jdbc, () -> false)::guesses, () -> false)
            .of(List.of(range))
            .get(0);
    System.out.printf(Locale.ROOT, "%s tasks are estimated as %s%n", tasks, estimate);
    assertThat((double) estimate / tasks).isBetween(0.75, 1.35);
  }

  private void fill(TaskTable table, int firstId, int tasks, String stage, String place) {
    for (int done = 0; done < tasks; done += ROWS_A_STATEMENT) {
      jdbc.sql(
              """
              INSERT INTO %s
                (id, user_id, task_stage, status, order_time, create_time, modify_time,
                 task_context, schedule_log)
              SELECT :first + n, 'u', :stage, 1, :from + %s, 0, 0, '', ''
              FROM (
                SELECT :done + a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS n
                FROM <digits> a, <digits> b, <digits> c, <digits> e) numbers
              WHERE n < :done + :most
                AND n < :tasks
              """
                  .formatted(table.sqlName(), place)
                  .replace(
                      "<digits>",
                      "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"
                          + " UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6"
                          + " UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"))
          .param("first", firstId)
          .param("stage", stage)
          .param("from", FROM)
          .param("done", done)
          .param("most", ROWS_A_STATEMENT)
          .param("tasks", tasks)
          .update();
    }
  }
}
