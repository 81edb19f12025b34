package io.asyncflow.flowsvr.queue.report;

import static io.asyncflow.api.event.EventKind.FAILED;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.ReportResult.Verdict;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.pulse.TaskPulse;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.queue.hold.TaskHoldsIT;
import io.asyncflow.flowsvr.task.lane.Lanes;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.ScheduleLog;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.IncorrectUpdateSemanticsDataAccessException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;

@UnsweptServer
@Tag("contract")
class ReportsIT {

  @Autowired Given given;
  @Autowired TaskReporter reporter;
  @Autowired TaskStore tasks;
  @Autowired TransitionStore ends;
  @Autowired TaskTypes types;
  @Autowired TaskFamilies families;
  @Autowired Lanes lanes;
  @Autowired Events events;
  @Autowired TaskMeters meters;
  @Autowired TaskPulse pulse;
  @Autowired RetryingTransactions transactions;
  @Autowired CreatingReports creatingReports;
  @Autowired JdbcClient jdbc;

  // what each outcome leaves in the row; the decisions one by one are in HoldEndTest

  @Test
  void successIsFinalWithItsResult() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).withContext("{\"n\":1}").create();
    assertAccepted(
        given.reportOn(given.aHold(lark).theTask()).withId("r1").success("ein Ergebnis"));
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.SUCCESS);
    assertThat(row.result()).isEqualTo("ein Ergebnis");
    assertThat(row.context()).isEqualTo("{\"n\":1}");
    assertThat(row.reportedEpoch()).isEqualTo(1);
    assertThat(row.reportId()).isEqualTo("r1");
    assertThat(row.workerId()).isEqualTo("worker");
    assertThat(row.scheduleLog()).contains("\"outcome\":\"SUCCESS\"", "\"errMsg\":\"\"");
  }

  @Test
  void nextStageIsDueByItsPriority() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).inStage("split").withPriority(60).create();
    given.set(id, "crt_retry_num = 2");
    assertAccepted(
        given.reportOn(given.aHold(lark).theTask()).nextStage("speak", "{\"k\":2}", null));
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.WAITING);
    assertThat(row.stage()).isEqualTo("speak");
    assertThat(row.context()).isEqualTo("{\"k\":2}");
    assertThat(row.priority()).isEqualTo(60);
    assertThat(row.crtRetryNum()).isZero();
    assertThat(row.orderTime()).isBetween(row.modifyTime() - 60_500, row.modifyTime() - 60_000);

    assertAccepted(given.reportOn(given.aHold(lark).theTask()).nextStage("merge", null, 5));
    row = given.row(id);
    assertThat(row.context()).isEqualTo("{\"k\":2}");
    assertThat(row.priority()).isEqualTo(5);
    assertThat(row.orderTime()).isBetween(row.modifyTime() - 5_500, row.modifyTime() - 5_000);
  }

  @Test
  void tableThatCannotBeWrittenDoesNotHideWhatWasDoneInAnother() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create();
    given.nextTable(lark);
    given.aWaitingTask().ofType(lark).create();
    List<Report> reports =
        given.aHold(lark).now().stream().map(t -> given.reportOn(t).asSuccess("done")).toList();
    String second = TaskId.parse(reports.get(1).taskId()).orElseThrow().table().sqlName();
    jdbc.sql("RENAME TABLE %1$s TO away_%1$s".formatted(second)).update();
    try {
      assertThat(reporter.report(Given.parsed(reports)))
          .extracting(ReportResult::code)
          .containsExactly(0, ErrorCode.UNAVAILABLE.code());
    } finally {
      jdbc.sql("RENAME TABLE away_%1$s TO %1$s".formatted(second)).update();
    }
    assertThat(reporter.report(Given.parsed(reports)).get(1).outcome()).isEqualTo(Verdict.ACCEPTED);
  }

  @Test
  void delaysOfRetriesAreWrittenIntoTheOrderTime() {
    assertThat(delaysOf(given.aType().with("retry_interval", 5).with("max_retry_interval", 30)))
        .containsExactly(5, 10, 20, 30, 30);
    assertThat(delaysOf(given.aType().with("retry_interval", 10))).containsExactly(1, 2, 4, 8, 10);
    assertThat(delaysOf(given.aType().with("retry_interval", -7))).containsExactly(7, 7, 7, 7, 7);
    assertThat(delaysOf(given.aType().with("retry_interval", 0))).containsExactly(0, 0, 0, 0, 0);
  }

  /** In seconds, after five failures in a row. */
  private List<Integer> delaysOf(Given.ATaskType aType) {
    TaskType lark = aType.with("max_retry_num", 5).create();
    TaskId id = given.aWaitingTask().ofType(lark).withPriority(1_000).create();
    List<Integer> delays = new ArrayList<>();
    for (int failures = 1; failures <= 5; failures++) {
      assertAccepted(given.reportOn(given.aHold(lark).theTask()).retry("no"));
      TaskRow row = given.row(id);
      assertThat(row.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(row.crtRetryNum()).isEqualTo(failures);
      delays.add((int) Math.round((row.orderTime() - row.modifyTime()) / 1_000.0));
      given.set(id, "order_time = 1");
    }
    assertAccepted(given.reportOn(given.aHold(lark).theTask()).retry("no"));
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.FAILED);
    assertThat(given.row(id).crtRetryNum()).isEqualTo(6);
    return delays;
  }

  @Test
  void intervalIsReadFromTheTypeWhenTheAttemptFails() {
    TaskType lark = given.aType().with("retry_interval", 5).with("max_retry_interval", 30).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.change(lark, "retry_interval", -100);
    given.reportOn(task).retry("no");
    TaskRow row = given.row(id);
    assertThat(row.orderTime() - row.modifyTime()).isBetween(99_500L, 100_000L);
  }

  @Test
  void unexpectedFailuresAreCountedApartAndBothCountsEndWithTheStage() {
    TaskType lark =
        given.aType().with("retry_interval", 0).with("max_unexpected_retries", 2).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    reportUnexpected(given.aHold(lark).theTask());
    assertAccepted(given.reportOn(given.aHold(lark).theTask()).retry("no"));
    Task task = given.aHold(lark).theTask();
    assertThat(task.crtRetryNum()).isEqualTo(1);
    assertThat(task.unexpectedNum()).isEqualTo(1);
    assertThat(task.attempt()).isEqualTo(3);

    assertAccepted(given.reportOn(task).nextStage("speak", null, null));
    assertThat(given.row(id).crtRetryNum()).isZero();
    assertThat(given.row(id).unexpectedNum()).isZero();

    for (int failures = 1; failures <= 3; failures++) {
      reportUnexpected(given.aHold(lark).theTask());
    }
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.FAILED);
    assertThat(given.row(id).unexpectedNum()).isEqualTo(3);
    assertThat(given.row(id).crtRetryNum()).isZero();
  }

  private void reportUnexpected(Task task) {
    Report report =
        Report.of(task.taskId(), task.workerId(), task.leaseEpoch(), Outcome.RETRY)
            .withUnexpected(true);
    assertThat(reporter.report(Given.parsed(List.of(report))).get(0).outcome())
        .isEqualTo(Verdict.ACCEPTED);
  }

  @Test
  void taskThatWasNotBegunKeepsItsCountOfDeliveries() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    given.set(id, "delivery_count = 4");
    Task undelivered = given.aHold(lark).theTask();
    reporter.release(List.of(undelivered)); // its caller was gone
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.WAITING);
    assertThat(given.row(id).deliveryCount()).isEqualTo(4);

    given.reportOn(given.aHold(lark).theTask()).release();
    assertThat(given.row(id).deliveryCount()).isZero();
  }

  @Test
  void ownRetriesAndCapOfTheTaskWin() {
    TaskType lark = given.aType().with("retry_interval", 5).with("max_retry_interval", 30).create();
    TaskId id = given.aWaitingTask().ofType(lark).withRetries(1).withRetryCap(3).create();
    Task task = given.aHold(lark).theTask();
    assertThat(task.maxRetryNum()).isEqualTo(1);
    assertThat(task.maxRetryInterval()).isEqualTo(3);
    given.reportOn(task).retry("no");
    TaskRow row = given.row(id);
    assertThat(row.orderTime() - row.modifyTime()).isBetween(2_500L, 3_000L);
    given.set(id, "order_time = 1");
    given.reportOn(given.aHold(lark).theTask()).retry("no");
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.FAILED);

    TaskId never = given.aWaitingTask().ofType(lark).withRetries(0).create();
    given.reportOn(given.aHold(lark).theTask()).retry("no");
    assertThat(given.row(never).status()).isEqualTo(TaskStatus.FAILED);
  }

  @Test
  void failuresAreCountedByStage() {
    TaskType lark = given.aType().with("retry_interval", 0).with("max_retry_num", 2).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    for (String stage : List.of("second", "third", "fourth")) {
      given.reportOn(given.aHold(lark).theTask()).retry("no");
      given.reportOn(given.aHold(lark).theTask()).retry("no");
      assertThat(given.row(id).crtRetryNum()).isEqualTo(2);
      given.reportOn(given.aHold(lark).theTask()).nextStage(stage, null, null);
      assertThat(given.row(id).crtRetryNum()).isZero();
    }
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.WAITING);
  }

  @Test
  void snoozeAndReleaseBurnNothing() {
    TaskType lark = given.aType().with("max_retry_num", 0).create();
    TaskId id = given.aWaitingTask().ofType(lark).dueSince(1, MINUTES).withPriority(5).create();
    long orderTime = given.row(id).orderTime();
    given.set(id, "delivery_count = 4");
    assertAccepted(given.reportOn(given.aHold(lark).theTask()).release());
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.WAITING);
    assertThat(row.orderTime()).isEqualTo(orderTime);
    assertThat(row.crtRetryNum()).isZero();
    assertThat(row.deliveryCount()).isZero();

    given.set(id, "delivery_count = 4");
    assertAccepted(given.reportOn(given.aHold(lark).theTask()).snooze(90_000));
    row = given.row(id);
    assertThat(row.orderTime() - row.modifyTime()).isBetween(89_500L, 90_000L);
    assertThat(row.crtRetryNum()).isZero();
    assertThat(row.deliveryCount()).isZero();
    assertThat(given.aHold(lark).now()).isEmpty();
  }

  @Test
  void logKeepsFiveEntriesBesidesTheLastWithItsCost() {
    TaskType lark = given.aType().with("retry_interval", 0).with("max_retry_num", 99).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    for (int i = 1; i <= 8; i++) {
      Task task = given.aHold(lark).theTask();
      given.set(id, "hold_time = hold_time - 1200");
      given.reportOn(task).retry("failure " + i);
    }
    String log = given.row(id).scheduleLog();
    assertThat(log)
        .startsWith("{\"lastData\":{\"traceId\":\"" + given.row(id).traceId() + "\"")
        .containsPattern(
            "\"errMsg\":\"failure 8\",\"cost\":\"(1[2-9]\\d\\d|\\d{5,}|[2-9]\\d{3})ms\"")
        .contains("failure 3")
        .doesNotContain("failure 2");
  }

  @Test
  void anyTextComesBackAsItWasReported() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).withContext("").create();
    String text = "中文 😀 \\ ' \" % ; -- \u0001 \u0000 \r\n {\"a\":\"b\"}";
    given.reportOn(given.aHold(lark).theTask()).nextStage("s'\\\"", text, null);
    assertThat(given.row(id).context()).isEqualTo(text);
    assertThat(given.row(id).stage()).isEqualTo("s'\\\"");
    given.reportOn(given.aHold(lark).theTask()).success(text);
    assertThat(given.row(id).result()).isEqualTo(text);
  }

  // the fence

  @Test
  void onlyTheHolderOfTheLastHoldIsHeard() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task held = given.aHold(lark).by("w1").theTask();
    TaskRow before = given.row(id);

    assertRefused(8050, given.reportOn(held).by("w2").success("stolen"));
    assertRefused(8050, given.reportOn(held).ofEpoch(2).success("from the future"));
    assertRefused(8050, given.reportOn(held).ofEpoch(0).success("from the past"));
    assertThat(given.row(id)).usingRecursiveComparison().ignoringFields("now").isEqualTo(before);

    assertAccepted(given.reportOn(held).success("mine"));
  }

  @Test
  void epochReportsOnce() {
    TaskType lark = given.aType().with("retry_interval", 0).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task held = given.aHold(lark).theTask();
    assertAccepted(given.reportOn(held).withId("r1").retry("once"));
    TaskRow before = given.row(id);
    assertRefused(8050, given.reportOn(held).withId("r2").retry("twice"));
    assertRefused(8050, given.reportOn(held).success("twice"));
    assertThat(given.row(id)).usingRecursiveComparison().ignoringFields("now").isEqualTo(before);
  }

  @Test
  void holderOfAnEarlierHoldIsRefused() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task first = given.aHold(lark).by("slow").theTask();
    given.reportOn(first).release();
    Task second = given.aHold(lark).by("fast").theTask();
    assertRefused(8050, given.reportOn(first).success("too late"));
    assertAccepted(given.reportOn(second).success("in time"));
    assertThat(given.row(id).result()).isEqualTo("in time");
    assertRefused(8051, given.reportOn(first).success("much too late"));
  }

  @Test
  void lateReportCountsAsLongAsNobodyHasHeldTheTaskSince() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task held = given.aHold(lark).theTask();
    given.letPass(1, HOURS, id);
    assertAccepted(given.reportOn(held).success("dear"));
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.SUCCESS);
  }

  @Test
  void sameReportIsDoneUntilALaterEpochHasReported() {
    TaskType lark = given.aType().with("retry_interval", 0).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task first = given.aHold(lark).theTask();
    assertAccepted(given.reportOn(first).withId("r1").retry("once"));
    assertDone(given.reportOn(first).withId("r1").retry("once"));

    Task second = given.aHold(lark).by("other").theTask();
    assertDone(given.reportOn(first).withId("r1").retry("once"));
    assertThat(given.row(id).crtRetryNum()).isEqualTo(1);
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.EXECUTING);

    assertAccepted(given.reportOn(second).withId("r2").success(null));
    assertDone(given.reportOn(second).withId("r2").success(null));
    assertRefused(8051, given.reportOn(first).withId("r1").retry("once"));
  }

  @Test
  void finalTaskRefusesEveryReportButTheRepeatOfItsLast() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create();
    Task held = given.aHold(lark).theTask();
    given.reportOn(held).withId("r1").fail("no voice");
    assertRefused(8051, given.reportOn(held).withId("r2").success("after all"));
    assertRefused(8051, given.reportOn(held).success("after all"));
    assertDone(given.reportOn(held).withId("r1").fail("no voice"));
  }

  @Test
  void nothingIsCommittedAfterACancel() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task held = given.aHold(lark).theTask();
    given.set(id, "status = 16");
    assertRefused(8051, given.reportOn(held).success("too late"));
    assertThat(given.row(id).result()).isNull();
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.CANCELLED);
  }

  @Test
  void transitionOfARowThatHasChangedSinceIsABugAndWritesNothing() {
    TaskType lark = given.aType().create();
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(2);
    given.aHold(lark).now();
    List<TaskTransition> transitions =
        ids.stream()
            .map(given::row)
            .map(
                row ->
                    new TaskTransition(
                        row, row.copy().status(TaskStatus.FAILED).row(), FAILED, null))
            .toList();
    for (String change :
        List.of("lease_epoch = 2", "reported_epoch = 1", "status = 16", "modify_time = 1")) {
      given.set(ids.get(1), change);
      assertThat(ends.applyIfUnchanged(ids.get(0).table(), transitions.subList(1, 2))).isZero();
      assertThatThrownBy(
              () ->
                  transactions.execute(
                      () -> {
                        ends.apply(transitions);
                        return null;
                      }))
          .isInstanceOf(IncorrectUpdateSemanticsDataAccessException.class);
      assertThat(given.row(ids.get(0)).status()).isEqualTo(TaskStatus.EXECUTING);
      given.set(ids.get(1), "lease_epoch = 1, reported_epoch = 0, status = 2");
    }
  }

  @Test
  void taskThatIsNotThereIsUnknown() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task held = given.aHold(lark).theTask();
    for (String unknown :
        List.of(
            "1_" + lark.name() + "_task_1",
            id.number() + "_" + lark.name() + "_task_2",
            id.number() + "_nosuchtype_task_1",
            id.number() + "_" + given.aType().create().name() + "_task_1")) {
      Report report = given.reportOn(held).asSuccess(null);
      assertRefused(8035, reporter.report(Given.parsed(report.withTaskId(unknown))).get(0));
    }
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.EXECUTING);
  }

  // batches

  @Test
  void thousandReportsOverTwoTablesEachForItself() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(600);
    given.nextTable(lark);
    given.aWaitingTask().ofType(lark).create(340);
    List<Task> held = new ArrayList<>(); // a hold may take of one table alone
    Awaitility.await()
        .until(() -> held.addAll(given.aHold(lark).limit(1_000).now()) && held.size() == 940);

    List<Report> reports = new ArrayList<>();
    held.forEach(task -> reports.add(given.reportOn(task).asSuccess("r" + task.taskId())));
    for (int i = 0; i < 30; i++) { // refused, all over the batch
      reports.add(given.reportOn(held.get(i)).by("nobody").asSuccess("stolen"));
      reports.add(reports.get(i).withTaskId((i + 1) + "_" + lark.name() + "_task_1"));
    }
    Collections.shuffle(reports, new Random(42));

    List<ReportResult> results = reporter.report(Given.parsed(reports));

    assertThat(results).hasSize(1_000);
    Set<String> known = held.stream().map(Task::taskId).collect(Collectors.toSet());
    for (int i = 0; i < 1_000; i++) {
      Report report = reports.get(i);
      ReportResult result = results.get(i);
      assertThat(result.taskId()).isEqualTo(report.taskId());
      if (!known.contains(report.taskId())) {
        assertThat(result.code()).isEqualTo(8035);
      } else if (report.workerId().equals("nobody")) {
        assertThat(result.code()).isIn(8050, 8051); // before or after the true one
      } else {
        assertThat(result.code()).isZero();
      }
    }
    assertThat(results.stream().filter(ReportResult::stands)).hasSize(940);
    assertThat(held)
        .allSatisfy(task -> assertThat(given.row(task).result()).isEqualTo("r" + task.taskId()));
  }

  @Test
  void reportsOnOneTaskInOneBatchAreJudgedInTheirOrder() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(2);
    List<Task> held = given.aHold(lark).now();
    List<ReportResult> results =
        reporter.report(
            Given.parsed(
                given.reportOn(held.get(0)).by("nobody").asSuccess("0"),
                given.reportOn(held.get(0)).withId("a").asRetry("1"),
                given.reportOn(held.get(1)).asSuccess("2"),
                given.reportOn(held.get(0)).withId("a").asRetry("3"),
                given.reportOn(held.get(0)).withId("b").asSuccess("4"),
                given.reportOn(held.get(1)).asSuccess("5")));
    assertThat(results).extracting(ReportResult::code).containsExactly(8050, 0, 0, 0, 8050, 8051);
    assertThat(results)
        .extracting(ReportResult::outcome)
        .containsExactly(
            Verdict.REFUSED,
            Verdict.ACCEPTED,
            Verdict.ACCEPTED,
            Verdict.ALREADY_DONE,
            Verdict.REFUSED,
            Verdict.REFUSED);
    assertThat(given.row(held.get(0)).crtRetryNum()).isEqualTo(1);
  }

  @Test
  void typeMayBeCalledAsTheStatementsCallTheTime() {
    TaskType type = given.aType().with("task_type", "snow_ms").create();
    given.aWaitingTask().ofType(type).create();
    assertAccepted(given.reportOn(given.aHold(type).theTask()).success("done"));
  }

  @Test
  void reportsOfEveryKindInOneBatchChangeWhatIsTheirs() {
    TaskType lark = given.aType().with("retry_interval", 0).create();
    given.aWaitingTask().ofType(lark).withContext("old").withPriority(3).create(6);
    List<Task> held = given.aHold(lark).limit(6).now();
    final List<TaskRow> before = held.stream().map(given::row).toList();
    reporter.report(
        Given.parsed(
            given.reportOn(held.get(0)).withId("r0").asSuccess("done"),
            given.reportOn(held.get(1)).withId("r1").asRetry("once more"),
            given.reportOn(held.get(2)).asNextStage("second", "new", 9),
            given.reportOn(held.get(3)).asNextStage("third", null, null),
            given.reportOn(held.get(4)).asFail("no"),
            given.reportOn(held.get(5)).asRelease()));
    List<TaskRow> after = held.stream().map(given::row).toList();
    assertThat(after)
        .extracting(TaskRow::status)
        .containsExactly(
            TaskStatus.SUCCESS,
            TaskStatus.WAITING,
            TaskStatus.WAITING,
            TaskStatus.WAITING,
            TaskStatus.FAILED,
            TaskStatus.WAITING);
    assertThat(after)
        .extracting(TaskRow::stage)
        .containsExactly(
            before.get(0).stage(),
            before.get(1).stage(),
            "second",
            "third",
            before.get(4).stage(),
            before.get(5).stage());
    assertThat(after)
        .extracting(TaskRow::context)
        .containsExactly("old", "old", "new", "old", "old", "old");
    assertThat(after).extracting(TaskRow::priority).containsExactly(3, 3, 9, 3, 3, 3);
    assertThat(after).extracting(TaskRow::crtRetryNum).containsExactly(0, 1, 0, 0, 1, 0);
    assertThat(after)
        .extracting(TaskRow::reportId)
        .containsExactly("r0", "r1", null, null, null, null);
    assertThat(after.get(0).result()).isEqualTo("done");
    assertThat(after.get(0).orderTime()).isEqualTo(before.get(0).orderTime());
    assertThat(after.get(2).orderTime()).isNotEqualTo(before.get(2).orderTime());
  }

  @Test
  void batchMayHaveTheLongestContextsAndLogs() {
    TaskType lark = given.aType().create();
    List<TaskId> ids =
        given.aWaitingTask().ofType(lark).withContext("'".repeat(4_096)).create(1_000);
    String message = "中'".repeat(500);
    String log = "";
    for (int i = 0; i < 6; i++) {
      log =
          ScheduleLog.append(
              log, new ScheduleLog.Entry("t", message, 1, null, "s", "RETRY", "w", i, 1));
    }
    jdbc.sql("UPDATE %s SET schedule_log = ?".formatted(ids.get(0).table().sqlName()))
        .param(log)
        .update();
    List<Report> reports = new ArrayList<>();
    while (reports.size() < 1_000) {
      List<Task> held = given.aHold(lark).limit(1_000).now();
      assertThat(held.size()).as("as many as one answer has room for").isBetween(1, 999);
      held.forEach(task -> reports.add(given.reportOn(task).asRetry(message)));
    }

    assertThat(reporter.report(Given.parsed(reports))).allMatch(ReportResult::stands);
  }

  @Test
  void reportsOfTasksWithLongLogsThatComeTogetherAreEachWritten() {
    TaskType lark = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(lark).dueSince(1, MINUTES).create();
    given.copies(model, 1, 31, "schedule_log = REPEAT('x', 65535)");
    List<Task> held = given.aHold(lark).limit(32).now();
    assertThat(held.size()).isEqualTo(32);

    AtOnce.from(
        8,
        thread -> {
          List<Report> some =
              held.subList(thread * 4, thread * 4 + 4).stream()
                  .map(task -> given.reportOn(task).withId("r").asSuccess("done"))
                  .toList();
          assertThat(reporter.report(Given.parsed(some))).allMatch(ReportResult::stands);
          reporter.report(Given.parsed(some)).forEach(ReportsIT::assertDone);
          return null;
        });
    assertThat(held).extracting(task -> given.row(task).status()).containsOnly(TaskStatus.SUCCESS);
  }

  @Test
  void longLogsThatClientsWroteGoOnShorter() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.set(
        Given.idOf(task),
        "schedule_log = CONCAT('{\"lastData\":{\"errMsg\":\"', REPEAT('x', 60000), '\"}}')");
    assertAccepted(given.reportOn(task).success("done"));
    assertThat(given.row(task).scheduleLog())
        .hasSizeLessThan(8_192)
        .contains("\"outcome\":\"SUCCESS\"", "\"historyDatas\":[{\"errMsg\":\"xxx");
  }

  @Test
  void ofManyDeliveriesOfOneReportOneIsAcceptedAndTheOthersAreDone() throws Exception {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(20);
    List<Report> reports =
        given.aHold(lark).now().stream()
            .map(task -> given.reportOn(task).withId("r-" + task.taskId()).asSuccess("done"))
            .toList();
    ConcurrentLinkedQueue<List<ReportResult>> answers = new ConcurrentLinkedQueue<>();
    CyclicBarrier start = new CyclicBarrier(8);
    TaskHoldsIT.inParallel(
        8,
        delivery -> {
          List<Report> mine = new ArrayList<>(reports);
          Collections.shuffle(mine, new Random(delivery)); // batches in any order never deadlock
          start.await();
          answers.add(reporter.report(Given.parsed(mine)));
        });
    assertThat(answers).allSatisfy(answer -> assertThat(answer).allMatch(ReportResult::stands));
    assertThat(answers.stream().flatMap(List::stream).filter(r -> r.outcome() == Verdict.ACCEPTED))
        .hasSize(20);
  }

  /** A cancel comes after the row was read, and before it is written. */
  @Test
  void callOfWhichOnlySomeRowsHaveChangedMeanwhileIsJudgedAnew() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(10);
    List<Report> reports =
        given.aHold(lark).now().stream()
            .map(task -> given.reportOn(task).withId("r-" + task.taskId()).asSuccess("done"))
            .toList();
    TaskId cancelled = TaskId.parse(reports.get(3).taskId()).orElseThrow();

    TransitionStore quick = mock(TransitionStore.class, delegatesTo(ends));
    doAnswer(
            call -> {
              given.set(cancelled, "status = 16, modify_time = modify_time + 1");
              return ends.applyIfUnchanged(call.getArgument(0), call.getArgument(1));
            })
        .when(quick)
        .applyIfUnchanged(any(), any());
    TaskReporter withQuick =
        new TaskReporter(
            types,
            families,
            tasks,
            quick,
            lanes,
            transactions,
            events,
            meters,
            pulse,
            creatingReports,
            10);
    List<ReportResult> results = withQuick.report(Given.parsed(reports));

    for (int i = 0; i < 10; i++) {
      if (i == 3) {
        assertRefused(8051, results.get(i));
      } else {
        assertDone(results.get(i));
        assertThat(given.row(TaskId.parse(reports.get(i).taskId()).orElseThrow()).status())
            .isEqualTo(TaskStatus.SUCCESS);
      }
    }
    assertThat(given.row(cancelled).status()).isEqualTo(TaskStatus.CANCELLED);
  }

  @Test
  void ofManyReportsOfOneEpochOneIsAccepted() throws Exception {
    TaskType lark = given.aType().with("retry_interval", 0).with("max_retry_num", 1_000).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    for (int round = 1; round <= 20; round++) {
      Task held = given.aHold(lark).theTask();
      ConcurrentLinkedQueue<ReportResult> answers = new ConcurrentLinkedQueue<>();
      TaskHoldsIT.inParallel(4, n -> answers.add(given.reportOn(held).withId("r" + n).retry("x")));
      assertThat(answers.stream().filter(ReportResult::stands)).hasSize(1);
      assertThat(given.row(id).crtRetryNum()).isEqualTo(round);
      assertThat(given.row(id).leaseEpoch()).isEqualTo(round);
      assertThat(given.row(id).reportedEpoch()).isEqualTo(round);
    }
  }

  @Test
  void reportsThatComeTogetherAreEachJudgedForThemselves() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(96);
    List<Task> held = given.aHold(lark).limit(96).now();
    AtOnce.from(
        32,
        thread -> {
          for (Task task : held.subList(thread * 3, thread * 3 + 3)) {
            assertRefused(8050, given.reportOn(task).by("somebody").success("no"));
            assertAccepted(given.reportOn(task).withId("r").success(task.taskId()));
            assertDone(given.reportOn(task).withId("r").success(task.taskId()));
            assertRefused(8051, given.reportOn(task).success("again"));
          }
          return null;
        });
    assertThat(held).allSatisfy(t -> assertThat(given.row(t).result()).isEqualTo(t.taskId()));
  }

  @Test
  void rowThatSomebodyHasLockedHoldsUpNoOtherReport() throws Exception {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(33);
    List<Task> held = given.aHold(lark).limit(33).now();
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    CompletableFuture<Void> locker =
        CompletableFuture.runAsync(
            () ->
                transactions.execute(
                    () -> {
                      TaskId id = Given.idOf(held.get(32));
                      tasks.lock(id.table(), List.of(id.number()));
                      locked.countDown();
                      return await(over);
                    }),
            work -> new Thread(work).start());
    assertThat(await(locked)).isTrue();

    CompletableFuture<ReportResult> stuck =
        CompletableFuture.supplyAsync(
            () -> sentUntilItIsWritten(held.get(32)), work -> new Thread(work).start());
    AtOnce.from(
        32,
        i -> {
          assertAccepted(given.reportOn(held.get(i)).success("in time"));
          return null;
        });

    assertThat(stuck).isNotDone();
    over.countDown();
    assertAccepted(stuck.get(30, SECONDS));
    locker.get(30, SECONDS);
  }

  /** As by a worker, which is answered 503 if it had to wait for two seconds. */
  private ReportResult sentUntilItIsWritten(Task task) {
    while (true) {
      try {
        return given.reportOn(task).success("late");
      } catch (PessimisticLockingFailureException e) {
        // again
      }
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(30, SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertAccepted(ReportResult result) {
    assertThat(result.outcome()).as(result.msg()).isEqualTo(Verdict.ACCEPTED);
  }

  private static void assertDone(ReportResult result) {
    assertThat(result.outcome()).as(result.msg()).isEqualTo(Verdict.ALREADY_DONE);
  }

  private static void assertRefused(int code, ReportResult result) {
    assertThat(result.outcome()).isEqualTo(Verdict.REFUSED);
    assertThat(result.code()).as(result.msg()).isEqualTo(code);
  }
}
