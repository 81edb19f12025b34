package io.asyncflow.flowsvr.bulk.run;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.flowsvr.bulk.BulkRow;
import io.asyncflow.flowsvr.operator.RowAct;
import io.asyncflow.flowsvr.operator.RowActs;
import io.asyncflow.flowsvr.operator.steer.SteerActs;
import io.asyncflow.flowsvr.operator.steer.SteerActs.NewDue;
import org.springframework.stereotype.Component;

/** The acts of bulks: those of the single calls. */
@Component
class BulkActs {

  private final RowActs rows;
  private final SteerActs steers;

  BulkActs(RowActs rows, SteerActs steers) {
    this.rows = rows;
    this.steers = steers;
  }

  /** Whether tasks that have ended wait afterwards, so that their table must be live. */
  static boolean revives(BulkRow bulk) {
    return bulk.act() == BulkAct.RETRY
        || bulk.act() == BulkAct.SET_STATUS && statusOf(bulk.arguments()) == TaskStatus.WAITING;
  }

  RowAct of(BulkRow bulk) {
    BulkArguments with = bulk.arguments();
    return switch (bulk.act()) {
      case RETRY -> rows::retry;
      case CANCEL -> rows::cancel;
      case RUN_NOW -> steers::runNow;
      case RESCHEDULE -> {
        NewDue due = new NewDue(with.runAt(), null, with.priority());
        yield row -> steers.reschedule(row, due);
      }
      case SET_STATUS -> row -> rows.setStatus(row, statusOf(with));
      case PAUSE -> row -> rows.pause(row, false);
      case RESUME -> rows::resume;
      case EXPIRE_LEASE -> steers::expireLease;
    };
  }

  private static TaskStatus statusOf(BulkArguments arguments) {
    return TaskStatus.ofCode(arguments.status());
  }
}
