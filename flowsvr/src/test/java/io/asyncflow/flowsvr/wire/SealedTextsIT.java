package io.asyncflow.flowsvr.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.Team;
import io.asyncflow.api.codec.SealedText;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.rules.TaskType;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Types that take sealed texts alone, or plain ones alone. */
@RunningServer
class SealedTextsIT {

  private static final String SEALED = new SealedText("tink1", 7, "QUJD", List.of()).toString();
  private static final String PLAIN = "plain";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @LocalServerPort int port;
  @Autowired Given given;

  private FlowClient flow;
  private String sealed;

  @BeforeEach
  void aTypeOfSealedTexts() {
    URI server = URI.create("http://127.0.0.1:" + port);
    flow = new HttpFlowClient(server, null, PATIENCE);
    sealed = aType(1);
  }

  private String aType(int rule) {
    TaskType type = given.aType().create();
    flow.saveTaskType(TaskTypeSettings.named(type.name()).withSealed(rule));
    return type.name();
  }

  private static NewTask task(String type, String context) {
    return NewTask.of(type, "render", "ann", context);
  }

  private static void assertRefused(String field, Runnable call) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(call::run)
        .returns(ErrorCode.SEALING_RULE, FlowException::errorCode)
        .withMessageContaining(field);
  }

  @Test
  void theSettingIsKeptAndShown() {
    assertThat(flow.taskTypes())
        .filteredOn(type -> type.taskType().equalsIgnoreCase(sealed))
        .extracting(TaskTypeSettings::sealed)
        .containsExactly(1);
    flow.saveTaskType(TaskTypeSettings.named(sealed).withPaused(0));
    assertRefused("taskContext", () -> flow.createTask(task(sealed, PLAIN)));
  }

  @Test
  void createsAreRefusedAndCreateNothing() {
    String plain = aType(-1);
    String either = aType(0);
    assertRefused(
        "taskData.taskContext must be sealed", () -> flow.createTask(task(sealed, PLAIN)));
    assertRefused(
        "taskData.taskContext must not be sealed", () -> flow.createTask(task(plain, SEALED)));
    assertRefused(
        "taskDataList[1].taskContext",
        () -> flow.createTasks(List.of(task(sealed, SEALED), task(sealed, PLAIN))));
    assertThat(flow.getUserTaskList("ann", TaskPageRequest.of()).taskList())
        .noneMatch(task -> task.taskType().equals(sealed));
    flow.createTasks(
        List.of(
            task(sealed, SEALED), task(plain, PLAIN), task(either, PLAIN), task(either, SEALED)));
    flow.createTasks(List.of(task(sealed, ""), task(plain, "")));
  }

  @Test
  void theRefusalOfACreateIsABadRequestThatIsNotRepeated() {
    Wire wire = new Wire(port);
    Wire.Answer answer =
        wire.post(
            "/api/task/createTask",
            """
            {"taskData":{"userId":"ann","taskType":"%s","taskStage":"one","taskContext":"plain"}}
            """
                .formatted(sealed));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.code()).isEqualTo(8076);
    assertThat(ErrorCode.SEALING_RULE.retryable()).isFalse();
  }

  @Test
  void jobsAndTheirChildrenAreRefused() {
    String either = aType(0);
    NewJob job = NewJob.of(sealed, "ann", PLAIN);
    assertRefused("jobData.jobInput", () -> flow.jobs().createJob(job));
    assertRefused(
        "jobData.team.taskContext",
        () -> flow.jobs().createJob(NewJob.ofTeam(sealed, "ann", Team.of(1, "one", PLAIN))));
    List<JobChild> children =
        List.of(new JobChild("one", SEALED, null), new JobChild("one", PLAIN, null));
    NewJob ofChildren = NewJob.ofChildren(either, "ann", children).withChildType(sealed);
    assertRefused("jobData.children[1].taskContext", () -> flow.jobs().createJob(ofChildren));
    flow.jobs().createJob(ofChildren.withChildType(either));

    flow.jobs().createJob(NewJob.of(either, "ann", PLAIN).withChildType(sealed));
    Task split =
        given.aHold(new TaskType(either)).now().stream()
            .filter(held -> held.taskStage().equals("split"))
            .findFirst()
            .orElseThrow();
    JobChildren page =
        new JobChildren(split.taskId(), split.workerId(), split.leaseEpoch(), 0, children);
    assertRefused("children[1].taskContext", () -> flow.jobs().addJobChildren(page));
  }

  @Test
  void schedulesAreRefused() {
    NewSchedule schedule = NewSchedule.every("of-" + sealed, Duration.ofHours(1));
    assertRefused(
        "taskData.taskContext",
        () -> flow.schedules().save(schedule.creating(task(sealed, PLAIN))));
    assertRefused(
        "jobData.jobInput",
        () -> flow.schedules().save(schedule.creating(NewJob.of(sealed, "ann", PLAIN))));
    flow.schedules().save(schedule.creating(task(sealed, SEALED)));
  }

  private Task held(String type) {
    given.aWaitingTask().ofType(new TaskType(type)).inStage("render").create();
    return given.aHold(new TaskType(type)).theTask();
  }

  private static Report reportOf(Task held, Outcome outcome) {
    return Report.of(held.taskId(), held.workerId(), held.leaseEpoch(), outcome);
  }

  private ReportResult report(Report report) {
    return flow.report(List.of(report)).get(0);
  }

  @Test
  void reportsAreRefusedOneByOne() {
    Task held = held(sealed);
    assertThat(report(reportOf(held, Outcome.SUCCESS).withResult(PLAIN)))
        .returns(8076, ReportResult::code)
        .returns(ReportResult.Verdict.REFUSED, ReportResult::outcome);
    assertThat(report(reportOf(held, Outcome.NEXT_STAGE).withNext("two", PLAIN, null)).code())
        .isEqualTo(8076);
    assertThat(report(reportOf(held, Outcome.SUCCESS).withCreates(List.of(task(sealed, PLAIN)))))
        .returns(8076, ReportResult::code)
        .satisfies(refused -> assertThat(refused.msg()).contains("creates[0].taskContext"));
    Report good =
        reportOf(held, Outcome.SUCCESS)
            .withReportId("r")
            .withResult(SEALED)
            .withCreates(List.of(task(sealed, SEALED)));
    assertThat(report(good).stands()).isTrue();
    flow.saveTaskType(TaskTypeSettings.named(sealed).withSealed(-1));
    assertThat(report(good).stands()).as("a repeat is what it was").isTrue();
  }

  @Test
  void objectsAreRefusedAndStoredTextsWereJudgedBefore() throws IOException {
    String plain = aType(-1);
    Task held = held(sealed);
    StoreKey key = StoreKey.of(held.taskId(), "render", held.leaseEpoch(), "_result");
    StoreContent open = StoreContent.of(PLAIN.repeat(2_000).getBytes(UTF_8));
    assertRefused(key.toString(), () -> flow.store().put(key, held.workerId(), open));
    byte[] bytes = (SEALED + "x".repeat(5_000)).getBytes(UTF_8);
    flow.store().put(key, held.workerId(), StoreContent.of(bytes));
    assertThat(flow.store().open(key).readAllBytes()).isEqualTo(bytes);
    String stored = new StoredText(key, bytes.length).toString();
    assertThat(report(reportOf(held, Outcome.SUCCESS).withResult(stored)).stands()).isTrue();
    Task other = held(plain);
    StoreKey otherKey = StoreKey.of(other.taskId(), "render", other.leaseEpoch(), "a");
    assertRefused(
        "must not be sealed",
        () -> flow.store().put(otherKey, other.workerId(), StoreContent.of(bytes)));
    flow.store().put(otherKey, other.workerId(), open);
    flow.store().put(otherKey, other.workerId(), StoreContent.of(new byte[0]));
  }

  @Test
  void partialUpdatesOfOldClientsAreRefused() {
    String id = flow.createTask(task(sealed, SEALED));
    Wire.Answer answer =
        new Wire(port).postForm("/api/task/set_task", Map.of("taskId", id, "taskContext", PLAIN));
    assertThat(answer.code()).isEqualTo(8076);
    assertThat(flow.getTask(id).taskContext()).isEqualTo(SEALED);
  }
}
