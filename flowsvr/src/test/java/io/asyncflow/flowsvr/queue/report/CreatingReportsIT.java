package io.asyncflow.flowsvr.queue.report;

import static java.util.concurrent.TimeUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.ReportResult.Verdict;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.queue.lease.ExpiredLeaseSweep;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reports that create tasks: together or not at all, and once. */
@UnsweptServer
@Tag("contract")
class CreatingReportsIT {

  @Autowired Given given;
  @Autowired TaskReporter reporter;
  @Autowired ExpiredLeaseSweep sweep;
  @Autowired Duty keyRetentionDuty;
  @Autowired JdbcClient jdbc;
  private TaskType type;
  private TaskType next;

  @BeforeEach
  void twoTypes() {
    type = given.aType().create();
    next = given.aType().create();
  }

  private TaskDraft aNext(String context) {
    return given.aWaitingTask().ofType(next).withContext(context).asDraft();
  }

  private TaskDraft aNext(String context, String key, OnDuplicate onDuplicate) {
    return given
        .aWaitingTask()
        .ofType(next)
        .withContext(context)
        .withKey(key, onDuplicate)
        .asDraft();
  }

  private Task held() {
    given.aWaitingTask().ofType(type).create();
    return given.aHold(type).theTask();
  }

  private ReportResult report(Report report, TaskDraft... creates) {
    return reporter.report(List.of(creating(report, creates))).get(0);
  }

  private static ParsedReport creating(Report report, TaskDraft... creates) {
    return new ParsedReport(ParsedReport.of(report).task(), report, List.of(creates));
  }

  private long tasks() {
    boolean exists =
        jdbc.sql(
                    "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"
                        + " AND table_name = ?")
                .param(new TaskTable(next, 1).sqlName())
                .query(Long.class)
                .single()
            > 0;
    return exists
        ? jdbc.sql("SELECT COUNT(*) FROM " + new TaskTable(next, 1).sqlName())
            .query(Long.class)
            .single()
        : 0;
  }

  private TaskStatus statusOf(Task task) {
    return given.row(task).status();
  }

  @Test
  void acceptedReportCreatesItsTasksAndAnswersTheirIds() {
    Task task = held();
    ReportResult result =
        report(given.reportOn(task).withId("r").asSuccess("done"), aNext("a"), aNext("b"));

    assertThat(result.outcome()).isEqualTo(Verdict.ACCEPTED);
    assertThat(result.created()).hasSize(2).doesNotHaveDuplicates();
    assertThat(
            result.created().stream()
                .map(id -> given.row(TaskId.parse(id).orElseThrow()).context()))
        .containsExactly("a", "b");
    assertThat(statusOf(task)).isEqualTo(TaskStatus.SUCCESS);
  }

  @Test
  void taskOfAReportIsForItsWorkersAndChargedToNoUser() {
    next = given.aType().with("user_rate_limit", 1).create();
    TaskDraft forW2 = aNext("a").withWorkers(Set.of("w2"));
    Report report = given.reportOn(held()).asNextStage("two", null, null);

    ReportResult result = report(report, forW2, forW2);

    assertThat(result.created()).hasSize(2);
    assertThat(given.aHold(next).by("w1").limit(2).now()).isEmpty();
    assertThat(given.aHold(next).by("w2").limit(2).now()).hasSize(2);
  }

  @Test
  void reportWithTasksChangesTheWorkersOfItsNextStage() {
    Task task = held();
    Report report =
        given.reportOn(task).asNextStage("two", null, null).withWorkerIds(List.of("w2"));
    assertThat(report(report, aNext("a")).outcome()).isEqualTo(Verdict.ACCEPTED);
    assertThat(given.aHold(type).by("w1").now()).isEmpty();
    assertThat(given.aHold(type).by("w2").theTask().taskId()).isEqualTo(task.taskId());
  }

  @Test
  void nextStageAndFailCreateToo() {
    assertThat(report(given.reportOn(held()).asFail("why"), aNext("a")).created()).hasSize(1);
    assertThat(report(given.reportOn(held()).asNextStage("two", null, null), aNext("b")).created())
        .hasSize(1);
    assertThat(tasks()).isEqualTo(2);
  }

  @Test
  void repeatedReportCreatesNothingAndAnswersTheSameIds() {
    Report report = given.reportOn(held()).withId("r").asSuccess("done");
    ReportResult first = report(report, aNext("a"), aNext("b"));

    ReportResult again = report(report, aNext("a"), aNext("b"));

    assertThat(again.outcome()).isEqualTo(Verdict.ALREADY_DONE);
    assertThat(again.created()).isEqualTo(first.created());
    assertThat(tasks()).isEqualTo(2);
  }

  @Test
  void refusedReportCreatesNothing() {
    Task task = held();
    assertThat(report(given.reportOn(task).ofEpoch(2).asSuccess(""), aNext("a")).code())
        .isEqualTo(8050);
    assertThat(report(given.reportOn(task).by("thief").asSuccess(""), aNext("a")).code())
        .isEqualTo(8050);
    report(given.reportOn(task).asSuccess(""));
    assertThat(report(given.reportOn(task).asSuccess(""), aNext("a")).code()).isEqualTo(8051);
    assertThat(tasks()).isZero();
  }

  @Test
  void createThatIsRefusedRefusesTheReportAndNamesIt() {
    Task task = held();
    given.aWaitingTask().ofType(next).withContext("x").withKey("k").create();

    ReportResult conflict =
        report(
            given.reportOn(task).withId("r").asSuccess(""),
            aNext("a"),
            aNext("b", "k", OnDuplicate.SAME));
    ReportResult unknown =
        report(
            given.reportOn(task).withId("r").asSuccess(""),
            aNext("a"),
            given.aWaitingTask().ofType(new TaskType("nosuchtype")).asDraft());

    assertThat(conflict.code()).isEqualTo(8052);
    assertThat(conflict.msg())
        .isEqualTo("creates[1].idempotencyKey: the idempotency key k was used with another body");
    assertThat(unknown.code()).isEqualTo(8042);
    assertThat(unknown.msg()).contains("creates[1].taskType");
    assertThat(statusOf(task)).isEqualTo(TaskStatus.EXECUTING);
    assertThat(tasks()).isEqualTo(1);
  }

  @Test
  void oneOfManyDeliveriesOfAReportCreatesItsTasks() {
    Report report = given.reportOn(held()).withId("r").asSuccess("done");

    List<ReportResult> results =
        AtOnce.from(16, i -> report(report, aNext("a"), aNext("b", "key", OnDuplicate.KEEP)));

    assertThat(results).filteredOn(result -> result.outcome() == Verdict.ACCEPTED).hasSize(1);
    assertThat(results).allMatch(ReportResult::stands);
    assertThat(results.stream().map(ReportResult::created).distinct()).hasSize(1);
    assertThat(tasks()).isEqualTo(2);
  }

  @Test
  void reportsOfOneCallAreJudgedInTheirOrderWhicheverCreate() {
    Task first = held();
    Task second = held();
    List<ParsedReport> call = new ArrayList<>();
    call.add(creating(given.reportOn(first).asSuccess("1"), aNext("a")));
    call.add(creating(given.reportOn(first).asSuccess("2")));
    call.add(creating(given.reportOn(second).asSuccess("3")));
    call.add(creating(given.reportOn(second).asSuccess("4"), aNext("b")));

    List<ReportResult> results = reporter.report(call);

    assertThat(results.stream().map(ReportResult::code)).containsExactly(0, 8051, 0, 8051);
    assertThat(given.row(first).result()).isEqualTo("1");
    assertThat(tasks()).isEqualTo(1);
  }

  @Test
  void taskIsNotFinalToTheCreatesOfItsOwnReport() {
    TaskId id = given.aWaitingTask().ofType(type).withKey("self").create();
    Task task = given.aHold(type).theTask();

    ReportResult result = report(given.reportOn(task).asSuccess("done"), again(OnDuplicate.RERUN));

    assertThat(result.created()).containsExactly(id.toString());
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.SUCCESS);
  }

  @Test
  void taskIsExecutingToTheCreatesOfItsLateReport() {
    TaskId id = given.aWaitingTask().ofType(type).withKey("self").create();
    Task task = given.aHold(type).theTask();
    given.letPass(1, HOURS, id);
    sweep.runOnce();
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.WAITING);

    ReportResult result =
        report(given.reportOn(task).asSuccess("done"), again(OnDuplicate.REPLACE));

    assertThat(result.created()).containsExactly(id.toString());
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.SUCCESS);
    assertThat(given.row(id).context()).isNotEqualTo("again");
  }

  private TaskDraft again(OnDuplicate onDuplicate) {
    return given
        .aWaitingTask()
        .ofType(type)
        .withContext("again")
        .withKey("self", onDuplicate)
        .asDraft();
  }

  @Test
  void whatIsRememberedOfReportsIsForgottenWithTheKeys() {
    Report report = given.reportOn(held()).withId("r").asSuccess("done");
    report(report, aNext("a"));
    long number = ParsedReport.of(report).task().number();
    jdbc.sql("UPDATE t_report_create SET expire_time = 1 WHERE task_number = ?")
        .param(number)
        .update();

    keyRetentionDuty.runOnce().get();

    ReportResult again = report(report, aNext("a"));
    assertThat(again.outcome()).isEqualTo(Verdict.ALREADY_DONE);
    assertThat(again.created()).isNull();
    assertThat(tasks()).isEqualTo(1);
  }
}
