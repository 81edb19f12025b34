package io.asyncflow.flowsvr.operator.table;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.TaskFields;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task_schedule_cfg")
class TableActController {

  private static final int TABLE = 64;

  private final TableActs acts;

  TableActController(TableActs acts) {
    this.acts = acts;
  }

  record Clean(String taskType, String table, String operator, String reason) {}

  @Takes(summary = "Drops a drained table now instead of after its retention", shape = Clean.class)
  @Needs(Verb.TYPE_CLEAN)
  @PostMapping("/clean")
  Envelope<Void> clean(Fields in, Caller caller) {
    TaskType type = TaskFields.existingType(in);
    String table = in.text("table").required().max(TABLE).value();
    Reason why = Reason.read(in);
    in.refuseIfBad();
    caller.requireType(type.name());
    caller.requireAllUsers();
    acts.clean(type, table, why);
    return Envelope.done();
  }
}
