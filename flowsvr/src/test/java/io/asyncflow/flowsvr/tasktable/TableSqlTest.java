package io.asyncflow.flowsvr.tasktable;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.tasktype.TaskType;
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
  void tablesThatAreGoneAreForgotten() {
    String first = sql.of(table(1));
    IntStream.rangeClosed(2, 1_000).forEach(number -> sql.of(table(number)));

    assertThat(sql.of(table(1))).isEqualTo(first).isNotSameAs(first);
  }

  private static TaskTable table(int number) {
    return new TaskTable(LARK, number);
  }
}
