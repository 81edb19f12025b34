package io.asyncflow.flowsvr.task.table;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;

/** A table that is full while the next one cannot be made. */
class NewTaskTablesTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final TaskTable FULL = new TaskTable(LARK, 1);

  private final TaskFamilies families = mock();
  private final TaskTypeConfig config = mock();
  private long nanos;
  private final Node node =
      new Node() {
        @Override
        public long nanoTime() {
          return nanos;
        }
      };
  private final NewTaskTables tables =
      new NewTaskTables(families, mock(TableLifeStore.class), node);

  @Test
  void createsWaitForATableThatCannotBeMadeATenthOfTheirTimeAtMost() {
    TaskFamily family = new TaskFamily(LARK, List.of(FULL), List.of(FULL), 2_000, false);
    when(families.of(LARK)).thenReturn(family);
    when(families.refreshed(LARK)).thenReturn(family);
    when(families.advance(any()))
        .thenAnswer(
            call -> {
              nanos += SECONDS.toNanos(2);
              throw new CannotAcquireLockException("BACKUP STAGE");
            });
    when(config.type()).thenReturn(LARK);
    when(config.rollThreshold()).thenReturn(2_000L);

    for (int block = 0; block < 5; block++) {
      assertThat(tables.tableFor(config, 100)).isEqualTo(FULL);
    }
    verify(families, times(1)).advance(FULL);

    nanos += SECONDS.toNanos(18);
    assertThat(tables.tableFor(config, 100)).isEqualTo(FULL);
    verify(families, times(2)).advance(FULL);
  }
}
