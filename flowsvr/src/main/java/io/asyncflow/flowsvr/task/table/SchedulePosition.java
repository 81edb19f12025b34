package io.asyncflow.flowsvr.task.table;

import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The tables of a family that are in use, {@code begin..end}. Tables before begin have no
 * unfinished tasks, those before first have been given up, and new tasks go to end. All three
 * positions only increase, except that begin is moved back if an older table is found to have
 * unfinished tasks.
 */
@Entity
@Table(name = "t_schedule_pos")
class SchedulePosition {

  @Id
  @Column(name = "task_type")
  private String taskType;

  @Column(name = "schedule_first_pos")
  private int first;

  @Column(name = "schedule_begin_pos")
  private int begin;

  @Column(name = "schedule_end_pos")
  private int end;

  @Column(name = "schedule_end_rows")
  private long endRows;

  @Column(name = "lanes")
  private int lanes;

  protected SchedulePosition() {}

  String taskType() {
    return taskType;
  }

  TaskFamily family(TaskType type) {
    return new TaskFamily(
        type, tables(type, begin, end), tables(type, first, end), endRows, lanes == 1);
  }

  private static List<TaskTable> tables(TaskType type, int first, int last) {
    return IntStream.rangeClosed(first, last).mapToObj(n -> new TaskTable(type, n)).toList();
  }
}
