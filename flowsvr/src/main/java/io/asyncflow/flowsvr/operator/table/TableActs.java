package io.asyncflow.flowsvr.operator.table;

import static io.asyncflow.flowsvr.tasktable.Freshness.NOW;

import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.tasktable.TableLifeStore;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskTableView;
import io.asyncflow.flowsvr.tasktable.TaskTableView.State;
import io.asyncflow.flowsvr.tasktable.upkeep.TableRetention;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.flowsvr.web.read.InvalidFieldException;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.Map;
import org.springframework.stereotype.Service;

/** What operators do to the tables of a type. Thread-safe. */
@Service
class TableActs {

  private final TaskTypes types;
  private final TaskFamilies families;
  private final TableLifeStore lives;
  private final TableRetention retention;
  private final Acts acts;

  TableActs(
      TaskTypes types,
      TaskFamilies families,
      TableLifeStore lives,
      TableRetention retention,
      Acts acts) {
    this.types = types;
    this.families = families;
    this.lives = lives;
    this.retention = retention;
    this.acts = acts;
  }

  /**
   * Gives a drained table up now, as its retention would later; from then on it is not read, and
   * retention drops it.
   *
   * @param name such as {@code t_lark_task_1}
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if the type is not configured
   * @throws InvalidFieldException if the type has no such table
   * @throws TableNotDrainedException if the table is not the first drained one
   */
  void clean(TaskType type, String name, Reason why) {
    types.require(type);
    TaskTableView table = find(type, name);
    if (table.state() != State.DRAINED) {
      throw new TableNotDrainedException(
          name, "is " + table.state() + ": only a DRAINED table can be dropped");
    }
    boolean isGivenUp =
        retention.giveUpNow(
            new TaskTable(type, table.number()),
            () -> acts.record(Act.of("CLEAN", "type:" + type).by(why).with(Map.of("table", name))));
    if (!isGivenUp) {
      throw new TableNotDrainedException(
          name, "is not the first DRAINED table of its type: tables are dropped in order");
    }
  }

  private TaskTableView find(TaskType type, String name) {
    return families
        .find(type, NOW)
        .map(lives::describe)
        .flatMap(tables -> tables.stream().filter(table -> table.table().equals(name)).findFirst())
        .orElseThrow(() -> new InvalidFieldException("table", "is no table of type " + type));
  }
}
