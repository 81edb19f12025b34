package io.asyncflow.flowsvr.operate.operator.table;

import static io.asyncflow.flowsvr.task.table.Freshness.NOW;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.InvalidFieldException;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.table.TableLifeStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskTableView;
import io.asyncflow.flowsvr.task.table.TaskTableView.State;
import io.asyncflow.flowsvr.task.table.upkeep.TableRetention;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.TaskFields;
import java.util.Map;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task_schedule_cfg")
class TableActController {

  private static final int TABLE = 64;

  private final TaskTypes types;
  private final TaskFamilies families;
  private final TableLifeStore lives;
  private final TableRetention retention;
  private final Acts acts;

  TableActController(
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

  record Clean(String taskType, String table, String operator, String reason) {}

  /** From the answer on the table is not read, and retention drops it. */
  @Takes(summary = "Drops a drained table now instead of after its retention", shape = Clean.class)
  @Needs(Verb.TYPE_CLEAN)
  @PostMapping("/clean")
  Envelope<Void> clean(Fields in, Caller caller) {
    TaskType type = TaskFields.existingType(in);
    String name = in.text("table").required().max(TABLE).value();
    Reason why = Reason.read(in);
    in.refuseIfBad();
    caller.requireType(type.name());
    caller.requireAllUsers();
    types.require(type);
    TaskTableView table = find(type, name);
    if (table.state() != State.DRAINED) {
      throw refusal(name + " is " + table.state() + ": only a DRAINED table can be dropped");
    }
    Act act = Act.of("CLEAN", "type:" + type).by(why).with(Map.of("table", name));
    if (!retention.giveUpNow(new TaskTable(type, table.number()), () -> acts.record(act))) {
      throw refusal(
          name + " is not the first DRAINED table of its type: tables are dropped in order");
    }
    return Envelope.done();
  }

  private TaskTableView find(TaskType type, String name) {
    return families
        .find(type, NOW)
        .map(lives::describe)
        .flatMap(tables -> tables.stream().filter(table -> table.table().equals(name)).findFirst())
        .orElseThrow(() -> new InvalidFieldException("table", "is no table of type " + type));
  }

  private static FlowException refusal(String why) {
    return new FlowException(ErrorCode.TRANSITION_NOT_ALLOWED, why);
  }
}
