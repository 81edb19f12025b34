package io.asyncflow.flowsvr.task.table.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TableSqlTest {

  private static final TaskType LARK = TaskType.parse("lark").orElseThrow();

  private final TableSql sql = new TableSql("SELECT 1 FROM %s a JOIN %s b");

  @Test
  void everyPlaceIsFilledWithTheNameOfTheTable() {
    assertThat(sql.of(table(3))).isEqualTo("SELECT 1 FROM t_lark_task_3 a JOIN t_lark_task_3 b");
  }

  @Test
  void textIsFilledInOnceATable() {
    assertThat(sql.of(table(1))).isSameAs(sql.of(table(1)));
  }

  @Test
  void oneStatementTellsWhatEachTableHas() {
    assertThat(new TableSql("SELECT id FROM %s LIMIT :limit").ofAll(List.of(table(7), table(8))))
        .isEqualTo(
            """
            SELECT part.*, 0 AS source
            FROM (
            SELECT id FROM t_lark_task_7 LIMIT :limit) part
            UNION ALL
            SELECT part.*, 1 AS source
            FROM (
            SELECT id FROM t_lark_task_8 LIMIT :limit) part
            """);
  }

  @Test
  void tablesThatAreGoneAreForgotten() {
    String first = sql.of(table(1));
    IntStream.rangeClosed(2, 1_000).forEach(number -> sql.of(table(number)));

    assertThat(sql.of(table(1))).isEqualTo(first).isNotSameAs(first);
  }

  private static TaskTable table(int number) {
    return new TaskTable(LARK, number);
  }
}
