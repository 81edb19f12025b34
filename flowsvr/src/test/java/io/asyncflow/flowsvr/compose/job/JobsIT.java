package io.asyncflow.flowsvr.compose.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.task.row.AnswerRoom;
import io.asyncflow.rules.TaskType;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The life of a job, over HTTP. */
@RunningServer
@Tag("contract")
class JobsIT {

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @LocalServerPort int port;
  private Jobs jobs;
  private TaskType book;

  @BeforeEach
  void aType() {
    jobs = new Jobs(port);
    book = given.aType().with("max_processing_time", 600).with("lease_seconds", 600).create();
  }

  @Test
  void isSplitRunAndMergedInOrder() throws IOException {
    String id = jobs.create(book);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SPLITTING);
    assertThat(jobs.get(id).total()).isNull();

    Task split = jobs.hold(book.name(), "split");
    assertThat(split.jobId()).isEqualTo(id);
    assertThat(split.taskId()).isEqualTo(jobs.get(id).splitTaskId());
    assertThat(inputOf(id)).isEqualTo("one\n\ntwo");
    jobs.stage(split, 0, 3);
    assertThat(jobs.holdNow(book.name(), "child", 10)).as("before the split reported").isEmpty();
    jobs.success(split, null);

    List<Task> children = holdAll(3);
    assertThat(children).allSatisfy(child -> assertThat(child.jobId()).isEqualTo(id));
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
    assertThat(jobs.get(id).total()).isEqualTo(3);
    jobs.report(children.subList(2, 3), Jobs::done);
    jobs.report(children.subList(0, 2), Jobs::done);

    Task merge = jobs.hold(book.name(), "merge");
    assertThat(merge.jobId()).isEqualTo(id);
    assertThat(merge.taskId()).isEqualTo(jobs.get(id).mergeTaskId());
    assertThat(jobs.tasks(id))
        .allSatisfy(child -> assertThat(child.costMs()).isNotNegative())
        .extracting(JobTask::result)
        .containsExactly("[0]", "[1]", "[2]");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.MERGING);
    jobs.success(merge, "the book");

    Job job = jobs.get(id);
    assertThat(job.state()).isEqualTo(JobState.SUCCESS);
    assertThat(job.result()).isEqualTo("the book");
    assertThat(List.of(job.done(), job.failed(), job.cancelled())).containsExactly(3, 0, 0);
    assertThat(job.endTime()).isNotNull();
    assertThat(jobs.holdNow(book.name(), "merge", 10)).isEmpty();
  }

  @Test
  void keyMakesOneJob() {
    NewJob job = NewJob.of(book.name(), "ann", "text").withIdempotencyKey("k");
    String id = jobs.jobs.createJob(job);
    assertThat(jobs.jobs.createJob(job)).isEqualTo(id);
    assertRefused(
        ErrorCode.IDEMPOTENCY_CONFLICT,
        () -> jobs.jobs.createJob(job.withFailurePolicy(FailurePolicy.FAIL_FAST)));
    assertThat(jobs.hold(book.name(), "split", 10)).hasSize(1);
  }

  @Test
  void keyThatIsUsedByManyAtOnceMakesOneJob() {
    NewJob job = NewJob.of(book.name(), "ann", "text").withIdempotencyKey("k");
    assertThat(AtOnce.from(16, i -> jobs.jobs.createJob(job)))
        .hasSize(16)
        .containsOnly(jobs.jobs.createJob(job));
    assertThat(jobs.hold(book.name(), "split", 10)).hasSize(1);
  }

  @Test
  void largeInputIsStreamed() throws IOException {
    String text = "größer als ein Teil, ".repeat(680_000); // 15 MiB; with all else 16 at most
    String id = jobs.jobs.createJob(NewJob.of(book.name(), "ann", text));
    assertThat(inputOf(id)).isEqualTo(text);
  }

  @Test
  void jobOfNoChildrenIsMergedAllTheSame() {
    String id = jobs.create(book);
    jobs.success(jobs.hold(book.name(), "split"), null);
    jobs.success(jobs.hold(book.name(), "merge"), "nothing");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
    assertThat(jobs.get(id).total()).isZero();
  }

  @Test
  void childrenMayHaveATypeOfTheirOwn() {
    TaskType page = given.aType().create();
    NewJob job = NewJob.of(book.name(), "ann", "text").withChildType(page.name());
    String id = jobs.running(job, 2);
    List<Task> children = jobs.hold(page.name(), "child", 10);
    assertThat(children).hasSize(2);
    jobs.report(children, Jobs::done);
    jobs.success(jobs.hold(book.name(), "merge"), "done");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void pagesOfChildrenWithLongMessagesAreBoundedByTheirBytesAndComplete() {
    int children = 150;
    String id = jobs.running(NewJob.of(book.name(), "ann", "text"), children);
    jdbc.sql(
            """
            UPDATE t_%s_task_1
            SET schedule_log = CONCAT('{"lastData":{"errMsg":"', REPEAT('é', 30000), '"}}')
            WHERE job_index >= 0
            """
                .formatted(book.name()))
        .update();

    List<Integer> indices = new ArrayList<>();
    String cursor = null;
    do {
      JobTaskPage page = jobs.jobs.getJobTasks(id, 1_000, cursor);
      List<Integer> here = page.taskList().stream().map(JobTask::index).toList();
      assertThat(here).hasSizeBetween(1, AnswerRoom.BYTES / 60_000);
      assertThat(page.taskList())
          .extracting(child -> child.errMsg().equals("é".repeat(30_000)))
          .containsOnly(true);
      indices.addAll(here);
      cursor = page.nextCursor();
    } while (cursor != null);
    assertThat(indices).containsExactlyElementsOf(IntStream.range(0, children).boxed().toList());
  }

  @Test
  void failedChildrenAreListedAndRunAgain() {
    String id = jobs.running(NewJob.of(book.name(), "ann", "text"), 3);
    List<Task> children = holdAll(3);
    jobs.fail(children.get(1), "no such voice");
    assertThat(jobs.get(id).state()).as("the others go on").isEqualTo(JobState.RUNNING);
    jobs.report(List.of(children.get(0), children.get(2)), Jobs::done);

    Job failed = jobs.get(id);
    assertThat(failed.state()).isEqualTo(JobState.FAILED);
    assertThat(failed.errMsg()).isEqualTo("1 of 3 children failed, 0 were cancelled");
    assertThat(jobs.tasks(id).get(1).errMsg()).isEqualTo("no such voice");
    assertThat(jobs.tasks(id)).extracting(JobTask::status).containsExactly(4, 8, 4);

    jobs.jobs.retryJob(id);
    Task again = jobs.hold(book.name(), "child");
    assertThat(again.taskId()).isEqualTo(children.get(1).taskId());
    jobs.success(again, "[1]");
    jobs.success(jobs.hold(book.name(), "merge"), "whole");
    Job job = jobs.get(id);
    assertThat(job.state()).isEqualTo(JobState.SUCCESS);
    assertThat(List.of(job.done(), job.failed(), job.cancelled())).containsExactly(3, 0, 0);
  }

  @Test
  void failFastCancelsTheRestOfAPausedJob() {
    String id = jobs.running(failFast(), 3);
    List<Task> children = holdAll(1);
    jobs.jobs.pauseJob(id);
    jobs.fail(children.get(0), "broken");
    Job job = jobs.awaitState(id, JobState.FAILED);
    assertThat(List.of(job.done(), job.failed(), job.cancelled())).containsExactly(0, 1, 2);
  }

  @Test
  void failFastCancelsTheRest() {
    String id = jobs.running(failFast(), 5);
    List<Task> children = holdAll(2);
    jobs.fail(children.get(0), "broken");
    Job job = jobs.awaitState(id, JobState.FAILED);
    assertThat(List.of(job.done(), job.failed(), job.cancelled())).containsExactly(0, 1, 4);
    assertThat(jobs.success(children.get(1), "too late")).isEqualTo(ReportResult.Verdict.REFUSED);

    jobs.jobs.retryJob(id);
    jobs.awaitState(id, JobState.RUNNING);
    List<Task> again = holdAll(5);
    jobs.report(again, Jobs::done);
    jobs.success(jobs.hold(book.name(), "merge"), "whole");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void splitThatFailsFailsTheJobAndIsDoneAnew() {
    String id = jobs.create(book);
    Task split = jobs.hold(book.name(), "split");
    jobs.stage(split, 0, 2);
    jobs.fail(split, "no text");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.FAILED);
    assertThat(jobs.get(id).errMsg()).isEqualTo("no text");

    jobs.jobs.retryJob(id);
    Task again = jobs.hold(book.name(), "split");
    assertThat(again.taskId()).isNotEqualTo(split.taskId());
    jobs.stage(again, 0, 1);
    jobs.success(again, null);
    assertThat(jobs.hold(book.name(), "child", 10)).hasSize(1);
    assertThat(jobs.tasks(id)).hasSize(1);
  }

  @Test
  void mergeThatFailsIsDoneAnew() {
    String id = jobs.running(NewJob.of(book.name(), "ann", "text"), 2);
    jobs.report(holdAll(2), Jobs::done);
    jobs.fail(jobs.hold(book.name(), "merge"), "disk full");
    assertThat(jobs.get(id).errMsg()).isEqualTo("disk full");
    jobs.jobs.retryJob(id);
    jobs.success(jobs.hold(book.name(), "merge"), "whole");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
    assertThat(jobs.holdNow(book.name(), "child", 10)).isEmpty();
  }

  @Test
  void cancelEndsAJobInEachState() {
    String split = jobs.create(book);
    jobs.jobs.cancelJob(split);
    assertThat(jobs.awaitState(split, JobState.CANCELLED).cancelled()).isZero();
    assertThat(jobs.holdNow(book.name(), "split", 10)).isEmpty();

    String running = jobs.running(NewJob.of(book.name(), "ann", "text"), 4);
    Task done = jobs.hold(book.name(), "child");
    jobs.report(List.of(done), Jobs::done);
    jobs.jobs.cancelJob(running);
    assertThat(jobs.awaitState(running, JobState.CANCELLED).cancelled()).isEqualTo(3);

    String merging = jobs.running(NewJob.of(book.name(), "ann", "text"), 1);
    jobs.report(holdAll(1), Jobs::done);
    Task merge = jobs.hold(book.name(), "merge");
    jobs.jobs.cancelJob(merging);
    jobs.awaitState(merging, JobState.CANCELLED);
    assertThat(jobs.success(merge, "too late")).isEqualTo(ReportResult.Verdict.REFUSED);
    jobs.jobs.cancelJob(merging); // once more is no matter

    jobs.jobs.retryJob(running);
    List<Task> rest = holdAll(3);
    jobs.report(rest, Jobs::done);
    jobs.success(jobs.hold(book.name(), "merge"), "whole");
    assertThat(jobs.get(running).state()).isEqualTo(JobState.SUCCESS);
    assertRefused(ErrorCode.TRANSITION_NOT_ALLOWED, () -> jobs.jobs.cancelJob(running));
    assertRefused(ErrorCode.TRANSITION_NOT_ALLOWED, () -> jobs.jobs.retryJob(running));
  }

  @Test
  void unknownJobIsSaidToBe() {
    assertRefused(ErrorCode.NO_SUCH_JOB, () -> jobs.get("17"));
    assertRefused(ErrorCode.NO_SUCH_JOB, () -> jobs.jobs.getJobTasks("17", 10, null));
    assertRefused(ErrorCode.NO_SUCH_JOB, () -> jobs.jobs.cancelJob("17"));
    assertRefused(ErrorCode.NO_SUCH_JOB, () -> jobs.jobs.retryJob("17"));
    assertRefused(ErrorCode.NO_SUCH_JOB, () -> jobs.jobs.openJobInput("17"));
    assertRefused(ErrorCode.INVALID_INPUT, () -> jobs.get("one"));
  }

  private NewJob failFast() {
    return NewJob.of(book.name(), "ann", "text").withFailurePolicy(FailurePolicy.FAIL_FAST);
  }

  /** Holds so many children, which need not become tasks at once; ordered by index. */
  private List<Task> holdAll(int count) {
    return IntStream.range(0, count).mapToObj(i -> jobs.hold(book.name(), "child")).toList();
  }

  private String inputOf(String id) throws IOException {
    StringWriter text = new StringWriter();
    try (Reader reader = jobs.jobs.openJobInput(id)) {
      reader.transferTo(text);
    }
    return text.toString();
  }

  private static void assertRefused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FlowException.class, e -> assertThat(e.errorCode()).isEqualTo(code));
  }
}
