package io.asyncflow.dev.command;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleClient;
import java.time.ZoneId;

/** The schedule that lets the example worker say hello each minute. */
final class HelloSchedule {
  private static final String NAME = "hello";

  private static final String CONTEXT =
      "{\"ReqBody\":\"hello\",\"fromAddr\":\"the schedule\",\"toAddr\":\"you\"}";

  // SKIP: while no worker runs, one task waits, and not one for each minute.
  private static final NewSchedule SCHEDULE =
      NewSchedule.cron(NAME, "0 * * * * *", ZoneId.of("UTC"))
          .creating(NewTask.of("lark", "sendmsg", "dev", CONTEXT))
          .overlap(Overlap.SKIP)
          .catchUp(CatchUp.NONE);

  private HelloSchedule() {}

  /** Creates it if it does not exist; what somebody has changed or paused stays as it is. */
  static void createMissing(ScheduleClient schedules) {
    try {
      schedules.save(SCHEDULE, 0);
    } catch (FlowException e) {
      if (e.errorCode() != ErrorCode.CHANGED_MEANWHILE) {
        throw e;
      }
    }
  }
}
