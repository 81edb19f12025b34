package io.asyncflow.flowsvr.queue.report;

import static io.asyncflow.api.TaskStatus.CANCELLED;
import static io.asyncflow.api.TaskStatus.EXECUTING;
import static io.asyncflow.api.TaskStatus.FAILED;
import static io.asyncflow.api.TaskStatus.SUCCESS;
import static io.asyncflow.api.TaskStatus.WAITING;
import static java.util.concurrent.TimeUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.ReportResult.Verdict;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.FireLedger;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.operate.operator.Expected;
import io.asyncflow.flowsvr.operate.operator.OperatorActs;
import io.asyncflow.flowsvr.queue.lease.ExpiredLeaseSweep;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Whatever ends a task of a fire tells the ledgers once, in the transaction that writes it. */
@UnsweptServer
@Tag("contract")
class LedgeredReportsIT {

  private static final FireId FIRE = new FireId(7, System.currentTimeMillis());

  @Autowired Given given;
  @Autowired FireLedger ledger;
  @Autowired TaskReporter reporter;
  @Autowired TransitionStore transitions;
  @Autowired ExpiredLeaseSweep sweep;
  @Autowired OperatorActs acts;
  @LocalServerPort int port;
  private TaskType lark;

  @BeforeEach
  void aType() {
    lark = given.aType().with("retry_interval", 0).with("max_retry_num", 1).create();
  }

  private TaskId aFiredTask() {
    return given.aWaitingTask().ofType(lark).firedBy(FIRE).create();
  }

  /** From which status to which other one the ledgers were told that the task went. */
  private List<Tuple> told(TaskId id) {
    assertThat(ledger.changesOf(id))
        .extracting(change -> change.after().fire())
        .allMatch(FIRE::equals);
    return ledger.changesOf(id).stream()
        .map(change -> tuple(change.before().status(), change.after().status()))
        .toList();
  }

  @Test
  void loneReportIsToldOnceHoweverOftenItIsSent() {
    TaskId id = aFiredTask();
    Task held = given.aHold(lark).theTask();
    assertThat(told(id)).isEmpty();

    assertThat(given.reportOn(held).withId("r1").success("42").outcome())
        .isEqualTo(Verdict.ACCEPTED);
    assertThat(given.reportOn(held).withId("r1").success("42").outcome())
        .isEqualTo(Verdict.ALREADY_DONE);

    assertThat(told(id)).containsExactly(tuple(EXECUTING, SUCCESS));
    assertThat(ledger.changesOf(id).get(0).after().result()).isEqualTo("42");
    assertThat(given.row(id).fire()).isEqualTo(FIRE);
  }

  @Test
  void refusedReportIsNotTold() {
    TaskId id = aFiredTask();
    Task held = given.aHold(lark).theTask();
    given.reportOn(held).by("another").success(null);
    assertThat(told(id)).isEmpty();
  }

  @Test
  void everyAttemptIsTold() {
    TaskId id = aFiredTask();
    given.reportOn(given.aHold(lark).theTask()).nextStage("second", null, null);
    given.reportOn(given.aHold(lark).theTask()).retry("busy");
    given.reportOn(given.aHold(lark).theTask()).retry("busy");
    assertThat(told(id))
        .containsExactly(
            tuple(EXECUTING, WAITING), tuple(EXECUTING, WAITING), tuple(EXECUTING, FAILED));
    assertThat(ledger.changesOf(id))
        .extracting(TaskTransition::isOfEnd)
        .containsExactly(false, false, true);
  }

  @Test
  void reportsThatComeTogetherAreToldOnceEach() {
    List<TaskId> fired = new ArrayList<>();
    List<TaskId> others = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      fired.add(aFiredTask());
      others.add(given.aWaitingTask().ofType(lark).create());
    }
    List<Task> held = given.aHold(lark).limit(24).now();

    AtOnce.from(
        24,
        i ->
            reporter.report(Given.parsed(given.reportOn(held.get(i)).withId("r").asSuccess(null))));

    assertThat(fired)
        .allSatisfy(id -> assertThat(told(id)).containsExactly(tuple(EXECUTING, SUCCESS)));
    assertThat(others).allSatisfy(id -> assertThat(told(id)).isEmpty());
    assertThat(others).extracting(id -> given.row(id).status()).containsOnly(SUCCESS);
  }

  @Test
  void manyReportsOfOneCallAreToldOnceEach() {
    List<TaskId> fired = given.aWaitingTask().ofType(lark).firedBy(FIRE).create(120);
    List<Report> reports =
        given.aHold(lark).limit(120).now().stream()
            .map(task -> given.reportOn(task).asSuccess(null))
            .toList();
    assertThat(reporter.report(Given.parsed(reports))).hasSize(120).allMatch(ReportResult::stands);
    assertThat(fired)
        .allSatisfy(id -> assertThat(told(id)).containsExactly(tuple(EXECUTING, SUCCESS)));
  }

  @Test
  void sweepTells() {
    TaskId id = aFiredTask();
    given.aHold(lark).theTask();
    given.set(id, "delivery_count = 10");
    given.letPass(1, HOURS, id);
    sweep.runOnce();
    sweep.runOnce();
    assertThat(told(id)).containsExactly(tuple(EXECUTING, FAILED));
  }

  @Test
  void operatorsTell() {
    TaskId id = aFiredTask();
    acts.act(
        id,
        TaskAct.SET_STATUS,
        Arguments.status(SUCCESS),
        Expected.ANYTHING,
        new Reason("ann", ""));
    acts.act(
        id,
        TaskAct.SET_STATUS,
        Arguments.status(WAITING),
        Expected.ANYTHING,
        new Reason("ann", ""));
    acts.act(id, TaskAct.CANCEL, Arguments.NONE, Expected.ANYTHING, new Reason("ann", ""));
    acts.act(id, TaskAct.RETRY, Arguments.NONE, Expected.ANYTHING, new Reason("ann", ""));
    assertThat(told(id))
        .containsExactly(
            tuple(WAITING, SUCCESS),
            tuple(SUCCESS, WAITING),
            tuple(WAITING, CANCELLED),
            tuple(CANCELLED, WAITING));
    assertThat(given.row(id).fire()).as("retried in its row").isEqualTo(FIRE);
  }

  @Test
  void oldClientsTell() {
    TaskId id = aFiredTask();
    given.aHold(lark).byAnOldClient().theTask();
    Wire wire = new Wire(port);
    for (int i = 0; i < 2; i++) {
      assertThat(wire.post("/api/task/set_task", "{'taskId':'%s','status':4}".formatted(id)).code())
          .isZero();
    }
    assertThat(told(id)).containsExactly(tuple(EXECUTING, SUCCESS));
  }

  @Test
  void noneIsWrittenWithoutALock() {
    TaskId id = aFiredTask();
    given.aHold(lark).theTask();
    TaskRow row = given.row(id);
    List<TaskTransition> end =
        List.of(
            new TaskTransition(
                row, row.copy().status(SUCCESS).reportedEpoch(1).row(), EventKind.SUCCESS, null));
    assertThatThrownBy(() -> transitions.applyIfUnchanged(id.table(), end))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(given.row(id).status()).isEqualTo(EXECUTING);
  }
}
