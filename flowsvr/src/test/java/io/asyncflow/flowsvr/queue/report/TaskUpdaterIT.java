package io.asyncflow.flowsvr.queue.report;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.pulse.failure.FailureNotes;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.operate.operator.Expected;
import io.asyncflow.flowsvr.operate.operator.OperatorActs;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.rules.LeaseLostException;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** {@code set_task} as clients send it that know no leases. */
@UnsweptServer
@Tag("contract")
class TaskUpdaterIT {

  @Autowired Given given;
  @Autowired TaskUpdater updater;
  @Autowired OperatorActs acts;
  @Autowired FailureNotes failures;
  @Autowired JdbcClient jdbc;

  private TaskType lark;
  private TaskId id;

  @BeforeEach
  void aTask() {
    lark = given.aType().with("max_processing_time", 60).create();
    id = given.aWaitingTask().ofType(lark).withPriority(60).withContext("{\"n\":1}").create();
  }

  // a task held by an old client

  @Test
  void handBackIsDueByPriority() {
    given.aHold(lark).byAnOldClient().theTask();
    given.set(id, "delivery_count = 3, crt_retry_num = 2");
    anUpdate().status(1).stage("second").context("{\"n\":2}").log("{\"mine\":1}").send();
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.WAITING);
    assertThat(row.stage()).isEqualTo("second");
    assertThat(row.context()).isEqualTo("{\"n\":2}");
    assertThat(row.scheduleLog()).isEqualTo("{\"mine\":1}");
    assertThat(row.orderTime()).isBetween(row.modifyTime() - 60_500, row.modifyTime() - 60_000);
    assertThat(row.deliveryCount()).isZero();
    assertThat(row.crtRetryNum()).isEqualTo(2);
    assertThat(row.reportedEpoch()).isEqualTo(1);
    assertThat(given.aHold(lark).theTask().leaseEpoch()).isEqualTo(2);
  }

  @Test
  void nextStageBeginsWithoutTheUnexpectedFailuresOfTheLast() {
    given.aHold(lark).byAnOldClient().theTask();
    given.set(id, "unexpected_num = 2");
    anUpdate().status(1).stage(given.row(id).stage()).send();
    assertThat(given.row(id).unexpectedNum()).as("the same stage").isEqualTo(2);
    given.aHold(lark).byAnOldClient().theTask();
    anUpdate().status(1).stage("second").send();
    assertThat(given.row(id).unexpectedNum()).isZero();
  }

  @Test
  void handBackMayBringAPriority() {
    given.aHold(lark).byAnOldClient().theTask();
    anUpdate().status(1).priority(5).send();
    TaskRow row = given.row(id);
    assertThat(row.priority()).isEqualTo(5);
    assertThat(row.orderTime()).isBetween(row.modifyTime() - 5_500, row.modifyTime() - 5_000);
  }

  @Test
  void givenOrderTimeWinsOverPriority() {
    given.aHold(lark).byAnOldClient().theTask();
    anUpdate().status(1).priority(5).orderTime(4_000_000_000_000L).send();
    assertThat(given.row(id).orderTime()).isEqualTo(4_000_000_000_000L);
    assertThat(given.aHold(lark).now()).isEmpty();
  }

  @Test
  void handBackWakesAParkedHold() throws Exception {
    given.aHold(lark).byAnOldClient().theTask();
    CompletableFuture<List<Task>> answer = given.aHold(lark).waiting(10, SECONDS);
    try {
      anUpdate().status(1).send();
      assertThat(answer.get(2, SECONDS)).hasSize(1);
    } finally {
      answer.cancel(false);
    }
  }

  @Test
  void stillExecutingRenewsTheLease() {
    given.aHold(lark).byAnOldClient().theTask();
    given.letPass(55, SECONDS, id);
    long holdTime = given.row(id).holdTime();
    anUpdate().status(2).send();
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.EXECUTING);
    assertThat(row.leaseEnd()).isEqualTo(row.modifyTime() + 60_000);
    assertThat(row.holdTime()).as("when the attempt began").isEqualTo(holdTime);
    assertThat(row.beatTime()).as("a word of the holder").isEqualTo(row.modifyTime());
    assertThat(row.leaseEpoch()).isEqualTo(1);
    assertThat(row.reportedEpoch()).isZero();
  }

  @Test
  void stillExecutingRenewsALeaseThatRanOutToo() {
    given.aHold(lark).byAnOldClient().theTask();
    given.letPass(1, HOURS, id);
    anUpdate().status(2).send();
    assertThat(given.row(id).isUnderLiveLease()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = TaskStatus.class,
      names = {"SUCCESS", "FAILED"})
  void finalStatusEndsTheHold(TaskStatus status) {
    given.aHold(lark).byAnOldClient().theTask();
    anUpdate().status(status.code()).send();
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(status);
    assertThat(row.reportedEpoch()).isEqualTo(1);
    assertThat(row.context()).isEqualTo("{\"n\":1}");
  }

  @Test
  void whatAnOldWorkerSaysOfItsRunIsCountedAsAReport() {
    failures.runOnce();
    String log = "{\"lastData\":{\"errMsg\":\"no tape\"}}";
    given.aHold(lark).byAnOldClient().theTask();
    anUpdate().status(1).crtRetries(1).log(log).send();
    given.aHold(lark).byAnOldClient().theTask();
    anUpdate().status(8).log(log).send();
    failures.runOnce();

    assertThat(
            jdbc.sql("SELECT verdict, sample, finals FROM t_failure_group WHERE task_type = :type")
                .param("type", lark.name())
                .query()
                .listOfRows())
        .containsExactlyInAnyOrder(
            Map.of("verdict", "RETRY", "sample", "no tape", "finals", 0),
            Map.of("verdict", "FAIL", "sample", "no tape", "finals", 1));
  }

  @Test
  void pausedTaskStaysPausedWhenAFieldChanges() {
    given.set(id, "status = " + TaskStatus.PAUSED.code());
    anUpdate().priority(5).send();
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.PAUSED);
    assertThat(row.priority()).isEqualTo(5);
  }

  @Test
  void updateWithoutAStatusEndsNothing() {
    given.aHold(lark).byAnOldClient().theTask();
    long leaseEnd = given.row(id).leaseEnd();
    anUpdate().context("{\"half\":true}").send();
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.EXECUTING);
    assertThat(row.context()).isEqualTo("{\"half\":true}");
    assertThat(row.leaseEnd()).isEqualTo(leaseEnd);
    assertThat(row.reportedEpoch()).isZero();
  }

  @Test
  void nothingGivenChangesNothing() {
    given.aHold(lark).byAnOldClient().theTask();
    TaskRow before = given.row(id);
    anUpdate().send();
    assertThat(given.row(id))
        .usingRecursiveComparison()
        .ignoringFields("now", "modifyTime")
        .isEqualTo(before);
  }

  // a waiting task

  @Test
  void waitingTaskCanBeChanged() {
    anUpdate()
        .user("else")
        .stage("s2")
        .context("c2")
        .priority(7)
        .retries(9, 11)
        .crtRetries(1)
        .send();
    TaskRow row = given.row(id);
    assertThat(row.userId()).isEqualTo("else");
    assertThat(row.stage()).isEqualTo("s2");
    assertThat(row.context()).isEqualTo("c2");
    assertThat(row.priority()).isEqualTo(7);
    assertThat(row.maxRetryNum()).isEqualTo(9);
    assertThat(row.maxRetryInterval()).isEqualTo(11);
    assertThat(row.crtRetryNum()).isEqualTo(1);
    assertThat(row.status()).isEqualTo(TaskStatus.WAITING);
    assertThat(row.orderTime()).isEqualTo(row.createTime() - 60_000); // until the next hand-back
    assertThat(row.leaseEpoch()).isZero();
  }

  @Test
  void waitingTaskCanBePutOffAndFinished() {
    anUpdate().orderTime(4_000_000_000_000L).send();
    assertThat(given.aHold(lark).now()).isEmpty();
    anUpdate().status(4).send();
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.SUCCESS);
  }

  @Test
  void onlyAHoldMakesAWaitingTaskExecuting() {
    TaskRow before = given.row(id);
    assertThatThrownBy(() -> anUpdate().status(2).context("x").send())
        .isInstanceOf(TransitionNotAllowedException.class);
    assertThat(given.row(id)).usingRecursiveComparison().ignoringFields("now").isEqualTo(before);
  }

  @Test
  void whatAClientSendsBackAsItWasToldPinsNothing() {
    Task told = given.aHold(lark).byAnOldClient().theTask();
    anUpdate()
        .status(1)
        .retries(told.maxRetryNum(), told.maxRetryInterval())
        .context(told.taskContext())
        .send();
    assertThat(given.row(id).maxRetryNum()).isNull();
    assertThat(given.row(id).maxRetryInterval()).isNull();
    given.change(lark, "max_retry_num", 7);
    assertThat(given.aHold(lark).theTask().maxRetryNum()).isEqualTo(7);
  }

  @Test
  void lateRetryAfterAnOperatorHasEndedTheLeaseCountsEvenIfTheLogWasReplaced() {
    Task held = given.aHold(lark).byAnOldClient().theTask();
    acts.act(
        id, TaskAct.EXPIRE_LEASE, Arguments.NONE, Expected.ANYTHING, new Reason("ann", "stuck"));
    anUpdate().log("{\"mine\":1}").send();
    assertThat(given.reportOn(held).by("").retry("no").code()).isZero();
    assertThat(given.row(id).crtRetryNum()).isEqualTo(1);
  }

  // a task held by a worker

  @Test
  void taskUnderTheLiveLeaseOfAWorkerIsNotTouched() {
    Task held = given.aHold(lark).by("w").theTask();
    TaskRow before = given.row(id);
    for (AnUpdate update :
        List.of(
            anUpdate().status(1),
            anUpdate().status(2),
            anUpdate().status(4),
            anUpdate().status(8),
            anUpdate().context("stolen"),
            anUpdate())) {
      assertThatThrownBy(update::send).isInstanceOf(LeaseLostException.class);
    }
    assertThat(given.row(id)).usingRecursiveComparison().ignoringFields("now").isEqualTo(before);
    assertThat(given.reportOn(held).success(null).code()).isZero();
  }

  @Test
  void onceAWorkersLeaseHasRunOutItsReportIsRefusedAfterAnUpdate() {
    Task held = given.aHold(lark).by("w").theTask();
    given.letPass(1, HOURS, id);
    anUpdate().status(1).send();
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.WAITING);
    assertThat(given.reportOn(held).success("late").code()).isEqualTo(8050);
  }

  // a final task

  @ParameterizedTest
  @EnumSource(
      value = TaskStatus.class,
      names = {"SUCCESS", "FAILED"})
  void repeatedFinalStatusIsDoneAndAnyOtherChangeRefused(TaskStatus status) {
    given.aHold(lark).byAnOldClient().theTask();
    AnUpdate first =
        anUpdate().status(status.code()).stage("end").context("c").log("l").priority(3);
    first.send();
    TaskRow done = given.row(id);

    first.send();
    anUpdate().status(status.code()).send();
    anUpdate().status(status.code()).retries(3, 10).send();
    for (AnUpdate other :
        List.of(
            anUpdate(),
            anUpdate().status(1),
            anUpdate().status(2),
            anUpdate().status(12 - status.code()),
            anUpdate().context("c"),
            anUpdate().status(status.code()).context("other"),
            anUpdate().status(status.code()).stage("other"),
            anUpdate().status(status.code()).log("other"),
            anUpdate().status(status.code()).orderTime(5),
            anUpdate().status(status.code()).priority(4),
            anUpdate().status(status.code()).crtRetries(4),
            anUpdate().status(status.code()).retries(4, null),
            anUpdate().status(status.code()).user("other"))) {
      assertThatThrownBy(other::send).isInstanceOf(TransitionNotAllowedException.class);
    }
    assertThat(given.row(id)).usingRecursiveComparison().ignoringFields("now").isEqualTo(done);
  }

  @Test
  void cancelledTaskStaysCancelled() {
    given.aHold(lark).byAnOldClient().theTask();
    given.set(id, "status = 16");
    for (int status : new int[] {1, 2, 4, 8}) {
      assertThatThrownBy(() -> anUpdate().status(status).send())
          .isInstanceOf(TransitionNotAllowedException.class);
    }
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.CANCELLED);
  }

  @Test
  void taskThatIsNotThereIsUnknown() {
    for (TaskId unknown :
        List.of(
            new TaskId(1, id.table()),
            new TaskId(id.number(), new TaskTable(lark, 2)),
            new TaskId(id.number(), new TaskTable(new TaskType("nosuchtype"), 1)))) {
      assertThatThrownBy(() -> new AnUpdate(unknown).status(4).send())
          .isInstanceOf(TaskNotFoundException.class);
    }
  }

  @Test
  void updateInAnOldTableIsWrittenThere() {
    given.nextTable(lark);
    given.aHold(lark).byAnOldClient().theTask();
    anUpdate().status(4).send();
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.SUCCESS);
  }

  private AnUpdate anUpdate() {
    return new AnUpdate(id);
  }

  private final class AnUpdate {
    private final TaskId of;
    private TaskStatus status;
    private String stage;
    private String context;
    private String log;
    private Integer priority;
    private Long orderTime;
    private Integer crtRetryNum;
    private Integer maxRetryNum;
    private Integer maxRetryInterval;
    private String user;

    AnUpdate(TaskId of) {
      this.of = of;
    }

    AnUpdate status(int code) {
      status = TaskStatus.ofCode(code);
      return this;
    }

    AnUpdate stage(String value) {
      stage = value;
      return this;
    }

    AnUpdate context(String value) {
      context = value;
      return this;
    }

    AnUpdate log(String value) {
      log = value;
      return this;
    }

    AnUpdate priority(int value) {
      priority = value;
      return this;
    }

    AnUpdate orderTime(long value) {
      orderTime = value;
      return this;
    }

    AnUpdate crtRetries(int value) {
      crtRetryNum = value;
      return this;
    }

    AnUpdate retries(Integer number, Integer cap) {
      maxRetryNum = number;
      maxRetryInterval = cap;
      return this;
    }

    AnUpdate user(String value) {
      user = value;
      return this;
    }

    void send() {
      updater.update(
          new TaskUpdate(
              of,
              status,
              stage,
              context,
              log,
              priority,
              orderTime,
              crtRetryNum,
              maxRetryNum,
              maxRetryInterval,
              user),
          TestCallers.ADMIN);
    }
  }
}
