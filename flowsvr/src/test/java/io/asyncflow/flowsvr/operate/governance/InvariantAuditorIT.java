package io.asyncflow.flowsvr.operate.governance;

import static io.asyncflow.flowsvr.task.table.Freshness.NOW;
import static java.util.concurrent.TimeUnit.DAYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.operate.governance.InvariantAuditor.Result;
import io.asyncflow.flowsvr.queue.lease.ExpiredLeaseSweep;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.table.upkeep.TableDrain;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What cannot be is made by hand here, and found. */
@UnsweptServer
@Tag("contract")
class InvariantAuditorIT {

  @Autowired Given given;
  @Autowired InvariantAuditor auditor;
  @Autowired ExpiredLeaseSweep sweep;
  @Autowired TableDrain drain;
  @Autowired TaskFamilies families;
  @Autowired JdbcClient jdbc;

  private TaskType lark;
  private TaskId id;

  @BeforeEach
  void aHeldTask() {
    auditor.runOnce(); // what tests before this one left
    lark = given.aType().create();
    id = given.aWaitingTask().ofType(lark).create();
    given.aHold(lark).theTask();
  }

  @Test
  void soundTaskIsLeftAlone() {
    assertThat(auditor.runOnce()).isEqualTo(new Result(0, 0, 0));
    assertThat(given.row(id).isUnderLiveLease()).isTrue();
  }

  @Test
  void leaseWithoutAnEndIsEndedAndSwept() {
    given.set(id, "lease_end = lease_end + " + DAYS.toMillis(32));

    assertThat(auditor.runOnce()).isEqualTo(new Result(1, 0, 0));
    sweep.runOnce();

    assertThat(given.row(id).status()).isEqualTo(TaskStatus.WAITING);
    assertThat(auditor.runOnce()).isEqualTo(new Result(0, 0, 0));
  }

  @Test
  void leaseThatWasGrantedUnderOtherSettingsIsLeftAlone() {
    given.set(id, "lease_end = lease_end + " + DAYS.toMillis(30));
    for (int seconds : new int[] {1, 3_600, 946_080_000}) {
      given.change(lark, "max_processing_time", seconds);
      assertThat(auditor.runOnce()).as("%s s", seconds).isEqualTo(new Result(0, 0, 0));
    }
  }

  @Test
  void leaseOfAResidentTypeEndsSoonerThanItsAttempt() {
    given.change(lark, "max_processing_time", 946_080_000);
    given.set(id, "lease_end = lease_end + " + DAYS.toMillis(32));

    assertThat(auditor.runOnce()).isEqualTo(new Result(1, 0, 0));
  }

  @Test
  void holdThatIsSaidToHaveReportedIsEndedAndSwept() {
    given.set(id, "reported_epoch = 5");

    assertThat(auditor.runOnce()).isEqualTo(new Result(1, 0, 0));
    sweep.runOnce();

    assertThat(given.row(id).status()).isEqualTo(TaskStatus.WAITING);
    assertThat(given.aHold(lark).theTask().leaseEpoch()).isEqualTo(7);
  }

  @Test
  void unfinishedTaskBehindBeginIsFoundAgain() {
    given.set(id, "status = 4");
    given.nextTable(lark);
    drain.runOnce();
    given.set(id, "status = 1, order_time = 1");
    assertThat(given.aHold(lark).now()).isEmpty();

    assertThat(auditor.runOnce()).isEqualTo(new Result(0, 1, 0));

    assertThat(given.aHold(lark).theTask().taskId()).isEqualTo(id.toString());
    assertThat(auditor.runOnce()).isEqualTo(new Result(0, 0, 0));
  }

  @Test
  void tableThatIsGivenUpMeanwhileIsNotTakenBack() {
    given.set(id, "status = 4");
    given.nextTable(lark);
    drain.runOnce();
    given.set(id, "status = 1");
    TaskFamily asItWas = families.find(lark, NOW).orElseThrow();
    jdbc.sql("UPDATE t_schedule_pos SET schedule_first_pos = 2 WHERE task_type = ?")
        .param(lark.name())
        .update();

    assertThat(drain.takeBackLost(asItWas.drained())).isZero();

    assertThat(families.find(lark, NOW).orElseThrow().begin().number()).isEqualTo(2);
    assertThat(
            jdbc.sql("SELECT drain_time FROM t_task_table WHERE task_type = ? AND table_number = 1")
                .param(lark.name())
                .query(Long.class)
                .single())
        .isPositive();
  }
}
