package io.asyncflow.flowsvr.task.table.upkeep;

import static io.asyncflow.flowsvr.task.table.Freshness.NOW;

import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.table.TableLifeStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskTableView;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.TaskFields;
import java.util.List;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task_schedule_cfg")
class TaskTableController {

  private final TaskTypes types;
  private final TaskFamilies families;
  private final TableRoll roll;
  private final TableLifeStore lives;

  TaskTableController(
      TaskTypes types, TaskFamilies families, TableRoll roll, TableLifeStore lives) {
    this.types = types;
    this.families = families;
    this.roll = roll;
    this.lives = lives;
  }

  record OfType(String taskType) {}

  record RollType(String taskType, String operator, String reason) {}

  record TableList(List<TaskTableView> tables) {}

  record Rolled(String table) {}

  @Takes(summary = "Lists the tables of a type with their states", shape = OfType.class)
  @Needs(Verb.TYPE_READ)
  @GetOrPost("/tables")
  Envelope<TableList> tables(Fields in, Caller caller) {
    TaskType type = type(in, caller);
    return Envelope.ok(
        new TableList(families.find(type, NOW).map(lives::describe).orElse(List.of())));
  }

  @Takes(summary = "Begins the next table of a type now", shape = RollType.class)
  @Needs(Verb.TYPE_ROLL)
  @PostMapping("/roll")
  Envelope<Rolled> roll(Fields in, Caller caller) {
    Reason why = Reason.read(in);
    TaskType type = type(in, caller);
    caller.requireAllUsers();
    return Envelope.ok(new Rolled(roll.roll(type, why).sqlName()));
  }

  private TaskType type(Fields in, Caller caller) {
    TaskType type = TaskFields.existingType(in);
    in.refuseIfBad();
    caller.requireType(type.name());
    types.require(type);
    return type;
  }
}
