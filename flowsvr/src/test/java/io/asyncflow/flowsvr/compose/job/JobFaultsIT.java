package io.asyncflow.flowsvr.compose.job;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RowsRead;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.job.core.JobStore.Unfinished;
import io.asyncflow.flowsvr.compose.job.progress.JobSnapshot;
import io.asyncflow.flowsvr.compose.job.steps.JobCatchUp;
import io.asyncflow.flowsvr.compose.job.steps.JobSteps;
import io.asyncflow.flowsvr.task.row.CopyStore;
import io.asyncflow.flowsvr.task.table.upkeep.TableDrain;
import io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What must hold whatever is killed: on a server that dies, so to say, after each commit, because
 * it takes no step of a job unless a test does.
 */
@HandDrivenServer
@Tag("contract")
class JobFaultsIT {

  private static final Logger log = LoggerFactory.getLogger(JobFaultsIT.class);

  /** As many as a job may have is the long form; docs/reliability.md has the command. */
  private static final int CHILDREN = Integer.getInteger("asyncflow.test.children", 5_000);

  @Autowired Given given;
  @Autowired JobSteps steps;
  @Autowired JobCatchUp catchUp;
  @Autowired JobStore store;
  @Autowired TaskTypes types;
  @Autowired TableDrain drain;
  @Autowired CopyStore copies;
  @Autowired JdbcClient jdbc;
  @Autowired TransactionTemplate transaction;
  @LocalServerPort int port;
  private Jobs jobs;
  private TaskType book;

  @BeforeEach
  void aType() {
    jobs = new Jobs(port);
    book = given.aType().with("max_processing_time", 600).with("lease_seconds", 600).create();
  }

  @Test
  void splitThatDiedHalfWayIsReplacedByTheNext() {
    String id = jobs.create(book);
    Task first = jobs.hold(book.name(), "split");
    jobs.stage(first, 0, 1_500);
    jobs.report(List.of(first), t -> Jobs.reportOf(t, Outcome.RELEASE, null, null));

    Task second = jobs.hold(book.name(), "split");
    assertThat(second.leaseEpoch()).isEqualTo(2);
    assertRefused(ErrorCode.LEASE_LOST, () -> jobs.stage(first, 1_500, 1_501));
    assertRefused(ErrorCode.INVALID_INPUT, () -> jobs.stage(second, 1_500, 1_501));
    jobs.stage(second, 0, 400);
    jobs.jobs.addJobChildren(Jobs.page(second, 300, 400)); // its answer was lost
    jobs.stage(second, 400, 700);
    assertThat(jobs.success(second, null)).isEqualTo(ReportResult.Verdict.ACCEPTED);

    steps.advance(number(id));
    assertThat(jobs.get(id).total()).isEqualTo(700);
    assertThat(jobs.tasks(id)).hasSize(700).allSatisfy(t -> assertThat(t.taskId()).isNotNull());
    assertThat(rowsOf(id)).isEqualTo(700);
    assertRefused(ErrorCode.TRANSITION_NOT_ALLOWED, () -> jobs.stage(second, 700, 701));
  }

  @Test
  void serverThatDiedAfterTheSplitsReportLeavesTheReleaseToGovernance() {
    String id = splitInto(1_200, NewJob.of(book.name(), "ann", ""));
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
    assertThat(jobs.holdNow(book.name(), "child", 10)).isEmpty();

    leftAlone(id);
    assertThat(catchUp.runOnce()).isPositive();
    assertThat(rowsOf(id)).isEqualTo(1_200);
    assertCountsEqualRows(id);
  }

  @Test
  void serverThatDiedAfterTheLastReportLeavesTheMergeToGovernance() {
    String id = released(2);
    jobs.report(jobs.hold(book.name(), "child", 10), Jobs::done);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.MERGING);
    assertThat(jobs.get(id).mergeTaskId()).isNull();

    leftAlone(id);
    catchUp.runOnce();
    assertThat(jobs.hold(book.name(), "merge").jobId()).isEqualTo(id);
  }

  @Test
  void serverThatDiedWhileItCancelledLeavesTheRestToGovernance() {
    String id = released(3, failFast());
    jobs.fail(jobs.hold(book.name(), "child"), "broken");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.STOPPING);
    leftAlone(id);
    catchUp.runOnce();
    Job job = jobs.get(id);
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(job.cancelled()).isEqualTo(2);
    assertCountsEqualRows(id);
  }

  @Test
  void serversThatTakeOneStepAtOnceTakeItOnce() {
    String id = splitInto(1_200, NewJob.of(book.name(), "ann", ""));
    AtOnce.from(4, i -> steps.advance(number(id)));
    assertThat(rowsOf(id)).isEqualTo(1_200);
    assertThat(jobs.tasks(id)).extracting(JobTask::taskId).doesNotHaveDuplicates().hasSize(1_200);
  }

  @Test
  void mergeIsCreatedOnceByManyAtOnce() {
    String id = released(1);
    jobs.report(jobs.hold(book.name(), "child", 10), Jobs::done);
    AtOnce.from(8, i -> steps.advance(number(id)));
    assertThat(jobs.hold(book.name(), "merge", 100)).hasSize(1);
    assertThat(jobs.holdNow(book.name(), "merge", 100)).isEmpty();
  }

  @Test
  void hundredLastReportsAtOnceAreCountedAndMergedOnce() {
    String id = released(100);
    List<Task> children = jobs.hold(book.name(), "child", 100);
    assertThat(children).hasSize(100);
    AtOnce.from(
        100,
        i -> {
          assertThat(jobs.report(List.of(children.get(i)), Jobs::done).get(0).stands()).isTrue();
          return steps.advance(number(id));
        });
    assertThat(jobs.get(id).done()).isEqualTo(100);
    assertCountsEqualRows(id);
    assertThat(jobs.hold(book.name(), "merge", 100)).hasSize(1);
  }

  @Test
  void everyWayToAnEndIsCounted() {
    Wire wire = new Wire(port);
    String id = released(6);
    List<JobTask> children = jobs.tasks(id);
    List<Task> held = jobs.hold(book.name(), "child", 2);
    jobs.success(held.get(0), "[0]");
    jobs.fail(held.get(1), "no");
    act(wire, "cancel", children.get(2));
    act(wire, "setStatus", children.get(3), "'status':8,'reason':'told so'");
    act(wire, "set_task", children.get(4), "'status':4"); // an old client
    assertCounts(id, 2, 2, 1);

    act(wire, "retry", children.get(1));
    act(wire, "setStatus", children.get(0), "'status':1,'reason':'once more'");
    assertCounts(id, 1, 1, 1);
    act(wire, "setStatus", children.get(0), "'status':4,'reason':'enough'");
    act(wire, "cancel", children.get(1));
    jobs.success(jobs.hold(book.name(), "child"), "[5]");
    assertCounts(id, 3, 1, 2);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.FAILED);
  }

  @Test
  void jobWhoseFailedChildSucceededAloneSaysSo() {
    String id = released(2);
    jobs.success(jobs.hold(book.name(), "child"), "[0]");
    jobs.fail(jobs.hold(book.name(), "child"), "no");
    assertThat(jobs.get(id).errMsg()).isEqualTo("1 of 2 children failed, 0 were cancelled");

    act(new Wire(port), "retry", jobs.tasks(id).get(1));
    jobs.success(jobs.hold(book.name(), "child"), "[1]");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.FAILED);
    assertThat(jobs.get(id).errMsg()).contains("have succeeded since");
  }

  @Test
  void childrenMayLieInSeveralTables() {
    String id = splitInto(3, NewJob.of(book.name(), "ann", ""));
    given.nextTable(book);
    steps.advance(number(id));
    String other = splitInto(2, NewJob.of(book.name(), "ann", "other"));
    steps.advance(number(other));
    jobs.report(jobs.hold(book.name(), "child", 10), Jobs::done);
    steps.advance(number(id));
    given.nextTable(book);
    List<Task> merge = jobs.hold(book.name(), "merge", 1);
    jobs.success(merge.get(0), "whole");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
    assertCountsEqualRows(id);
    assertCountsEqualRows(other);
  }

  @Test
  void failedChildrenOfADrainedTableAreRunAgainInAnother() {
    String id = released(3);
    List<Task> children = jobs.hold(book.name(), "child", 10);
    jobs.fail(children.get(1), "no");
    jobs.report(List.of(children.get(0), children.get(2)), Jobs::done);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.FAILED);
    given.nextTable(book);
    drain.runOnce();

    jobs.jobs.retryJob(id);
    steps.advance(number(id));
    Task again = jobs.hold(book.name(), "child");
    assertThat(again.taskId()).endsWith("_2").isEqualTo(jobs.tasks(id).get(1).taskId());
    assertThat(again.taskContext()).isEqualTo("1");
    assertThat(copies.of(Given.idOf(children.get(1)))).containsExactly(Given.idOf(again));
    assertThat(copies.of(Given.idOf(children.get(0)))).isEmpty();
    assertThat(again.jobId()).isEqualTo(id);
    jobs.success(again, "[1]");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.MERGING);
    assertCountsEqualRows(id);
  }

  @Test
  void failedChildrenOfATableThatIsGivenUpJustThenStayAsTheyAre() {
    String id = released(2);
    List<Task> children = jobs.hold(book.name(), "child", 10);
    jobs.success(children.get(0), "[0]");
    jobs.fail(children.get(1), "no");
    given.nextTable(book);
    drain.runOnce();
    jdbc.sql(
            """
            UPDATE t_task_table
            SET drop_time = drain_time + 1000000000000
            WHERE task_type = :type
              AND table_number = 1
            """) // given up, and not to be dropped while the test runs
        .param("type", book.name())
        .update();

    jobs.jobs.retryJob(id);
    steps.advance(number(id));
    assertThat(jobs.get(id).state()).isEqualTo(JobState.FAILED);
    assertThat(jobs.tasks(id).get(1).taskId()).isEqualTo(children.get(1).taskId());
    assertThat(rowsOf(id)).isEqualTo(2);
    assertThat(copies.of(Given.idOf(children.get(1)))).isEmpty();
    assertCountsEqualRows(id);
  }

  @Test
  void retryThatDiedHalfWayGoesOn() {
    String id = released(2, failFast());
    jobs.fail(jobs.hold(book.name(), "child"), "no");
    steps.advance(number(id));
    jobs.jobs.retryJob(id);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RETRYING);
    JobProgress before = JobSnapshot.of(store.find(number(id)).orElseThrow(), 0, 0).progress();
    assertThat(before.percent()).isZero();
    assertThat(before.rate()).isNull();
    leftAlone(id);
    catchUp.runOnce();
    jobs.report(jobs.hold(book.name(), "child", 10), Jobs::done);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.MERGING);
    assertCountsEqualRows(id);
  }

  @Test
  void cancelDuringASplitLeavesNothingBehind() {
    for (int round = 0; round < 20; round++) {
      String id = jobs.create(book);
      Task split = jobs.hold(book.name(), "split");
      jobs.stage(split, 0, 3);
      AtOnce.from(
          2,
          i -> {
            if (i == 1) {
              jobs.jobs.cancelJob(id);
            } else {
              jobs.report(List.of(split), t -> Jobs.reportOf(t, Outcome.SUCCESS, null, null));
            }
            return steps.advance(number(id));
          });
      steps.advance(number(id));
      assertThat(jobs.get(id).state()).isEqualTo(JobState.CANCELLED);
      assertThat(count(id, "AND status IN (1, 2, 32)")).as("in round " + round).isZero();
      assertThat(jobs.get(id).cancelled()).isEqualTo(jobs.get(id).total() == null ? 0 : 3);
    }
  }

  @Test
  void retryByManyAtOnceSplitsAnewOnce() {
    String id = jobs.create(book);
    jobs.fail(jobs.hold(book.name(), "split"), "unreadable");
    List<Boolean> accepted =
        AtOnce.from(
            8,
            i -> {
              try {
                jobs.jobs.retryJob(id);
                return true;
              } catch (FlowException e) {
                assertThat(e.errorCode())
                    .isIn(ErrorCode.TRANSITION_NOT_ALLOWED, ErrorCode.CHANGED_MEANWHILE);
                return false;
              }
            });
    assertThat(accepted).containsOnlyOnce(true);
    assertThat(jobs.hold(book.name(), "split", 10)).hasSize(1);
  }

  @Test
  void cancelDuringARetryLeavesNoChildBehindThatRuns() {
    for (int round = 0; round < 20; round++) {
      String id = released(2, failFast());
      jobs.fail(jobs.hold(book.name(), "child"), "no");
      steps.advance(number(id));
      jobs.jobs.retryJob(id);
      AtOnce.from(
          2,
          i -> {
            if (i == 1) {
              jobs.jobs.cancelJob(id);
            }
            return steps.advance(number(id));
          });
      steps.advance(number(id));
      assertThat(jobs.get(id).state()).isEqualTo(JobState.CANCELLED);
      assertThat(count(id, "AND status IN (1, 2, 32)")).as("in round " + round).isZero();
      assertCountsEqualRows(id);
    }
  }

  @Test
  void restOfACancelLeavesTheChildrenOfARetryAlone() {
    for (int round = 0; round < 10; round++) {
      String id = released(3);
      jobs.jobs.cancelJob(id);
      AtOnce.from(
          3,
          i -> {
            steps.advance(number(id));
            if (i == 0) {
              retryOnceCancelled(id);
            }
            return steps.advance(number(id));
          });
      assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
      assertThat(count(id, "AND status = 16")).as("in round " + round).isZero();
      jobs.jobs.cancelJob(id);
      steps.advance(number(id));
    }
  }

  /** A change of the last moment is told as such, and another try finds it done. */
  private void retryOnceCancelled(String id) {
    await().until(() -> jobs.get(id).state() == JobState.CANCELLED);
    await()
        .until(
            () -> {
              try {
                jobs.jobs.retryJob(id);
                return true;
              } catch (FlowException e) {
                assertThat(e.errorCode()).isEqualTo(ErrorCode.CHANGED_MEANWHILE);
                return false;
              }
            });
  }

  @Test
  void jobThatFailsForEverHidesNoOther() {
    TaskType lost = given.aType().create();
    String broken = splitInto(1, NewJob.of(book.name(), "ann", "").withChildType(lost.name()));
    String whole = splitInto(1, NewJob.of(book.name(), "ann", ""));
    jdbc.sql("DELETE FROM t_schedule_cfg WHERE task_type = ?").param(lost.name()).update();
    await().until(() -> types.find(lost).isEmpty());
    leftAlone(broken);
    leftAlone(whole);
    assertThatThrownBy(catchUp::runOnce).isInstanceOf(NoSuchTaskTypeException.class);
    assertThat(rowsOf(whole)).isEqualTo(1);
    jobs.jobs.cancelJob(broken); // or it goes on failing in the tests after this one
    steps.advance(number(broken));
    assertThat(jobs.get(broken).state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void jobsWhoseStepsHaveNoEffectHideNoOther() {
    long model = number(splitInto(1, NewJob.of(book.name(), "ann", "")));
    JobCopies.of(jdbc, model, 150, "modify_time = 0"); // without children
    try {
      String whole = splitInto(1, NewJob.of(book.name(), "ann", ""));
      leftAlone(whole);
      for (int round = 0; round < 10 && rowsOf(whole) == 0; round++) {
        catchUp.runOnce();
      }
      assertThat(rowsOf(whole)).isEqualTo(1);
    } finally {
      JobCopies.delete(jdbc, model, 150);
    }
  }

  @Test
  void jobsThatWaitForTheirChildrenAreReadInPages() {
    long model = number(released(1));
    transaction.executeWithoutResult(
        status -> {
          status.setRollbackOnly();
          JobCopies.of(jdbc, model, 2_000, "modify_time = 0");
          jdbc.sql("UPDATE t_job SET state = 'MERGING', merge_number = 1 WHERE id = ?")
              .param(model + 7)
              .update();
          jdbc.sql("UPDATE t_job SET released = 0 WHERE id = ?").param(model + 1_500).update();

          List<Unfinished> found = new ArrayList<>();
          List<Unfinished> page;
          do {
            Unfinished last = found.isEmpty() ? null : found.get(found.size() - 1);
            page = store.unfinished(last, Duration.ofSeconds(2), 300);
            found.addAll(page);
            assertThat(RowsRead.by(jdbc, () -> store.unfinished(last, Duration.ofSeconds(2), 300)))
                .isLessThanOrEqualTo(310);
          } while (page.size() == 300);
          List<Unfinished> ofTest =
              found.stream().filter(job -> job.id() >= model && job.id() <= model + 2_000).toList();
          assertThat(ofTest).hasSize(2_001).doesNotHaveDuplicates();
          assertThat(ofTest.get(0))
              .isEqualTo(new Unfinished(JobState.MERGING, model + 7, false, false));
          assertThat(ofTest.stream().filter(Unfinished::isOverdue).map(Unfinished::id))
              .containsExactly(model + 1_500);
        });
  }

  @Test
  void longSplitIsHeldBackUntilItsReportAndRunsThroughToItsMerge() {
    String id = jobs.jobs.createJob(NewJob.of(book.name(), "ann", ""));
    Task split = jobs.hold(book.name(), "split");
    long began = System.nanoTime();
    jobs.stage(split, 0, CHILDREN);
    assertThat(jobs.holdNow(book.name(), "child", 10)).as("before the split's report").isEmpty();
    assertThat(rowsOf(id)).isZero();
    jobs.success(split, null);
    final long staged = System.nanoTime();
    steps.advance(number(id));
    assertThat(rowsOf(id)).isEqualTo(CHILDREN);
    final long released = System.nanoTime();
    int done = 0;
    while (done < CHILDREN) {
      List<Task> children = new ArrayList<>(jobs.hold(book.name(), "child", 1_000));
      jobs.report(children, Jobs::done);
      done += children.size();
    }
    final long ended = System.nanoTime();
    steps.advance(number(id));
    assertCountsEqualRows(id);
    assertThat(jobs.hold(book.name(), "merge", 10)).hasSize(1);
    assertThat(jobs.tasks(id).get(CHILDREN - 1).result()).isEqualTo("[" + (CHILDREN - 1) + "]");
    log.info(
        "{} children of one job: sent in {} ms, made tasks in {} ms, held and reported in {} ms",
        CHILDREN,
        NANOSECONDS.toMillis(staged - began),
        NANOSECONDS.toMillis(released - staged),
        NANOSECONDS.toMillis(ended - released));
  }

  private static long number(String id) {
    return Long.parseLong(id);
  }

  private NewJob failFast() {
    return NewJob.of(book.name(), "ann", "").withFailurePolicy(FailurePolicy.FAIL_FAST);
  }

  private String released(int children) {
    return released(children, NewJob.of(book.name(), "ann", ""));
  }

  private String released(int children, NewJob job) {
    String id = splitInto(children, job);
    steps.advance(number(id));
    return id;
  }

  private String splitInto(int children, NewJob job) {
    String id = jobs.jobs.createJob(job);
    Task split = jobs.hold(book.name(), "split");
    jobs.stage(split, 0, children);
    jobs.success(split, null);
    return id;
  }

  /** Nobody has touched the job for a minute. */
  private void leftAlone(String id) {
    jdbc.sql("UPDATE t_job SET modify_time = modify_time - 60000 WHERE id = :id")
        .param("id", number(id))
        .update();
  }

  private static void act(Wire wire, String act, JobTask child) {
    act(wire, act, child, "'operator':'ann'");
  }

  private static void act(Wire wire, String act, JobTask child, String fields) {
    String body = "{'taskId':'%s',%s}".formatted(child.taskId(), fields);
    assertThat(wire.post("/api/task/" + act, body).code()).as(act).isZero();
  }

  private int rowsOf(String id) {
    return count(id, "");
  }

  /** Children in all tables of the type. */
  private int count(String id, String condition) {
    int count = 0;
    for (int table = 1; table <= lastTable(); table++) {
      count +=
          jdbc.sql(
                  "SELECT COUNT(*) FROM t_%s_task_%s WHERE job_id = %s AND job_index >= 0 %s"
                      .formatted(book.name(), table, id, condition))
              .query(Integer.class)
              .single();
    }
    return count;
  }

  private int lastTable() {
    return jdbc.sql("SELECT schedule_end_pos FROM t_schedule_pos WHERE task_type = :type")
        .param("type", book.name())
        .query(Integer.class)
        .single();
  }

  private void assertCounts(String id, int done, int failed, int cancelled) {
    Job job = jobs.get(id);
    assertThat(List.of(job.done(), job.failed(), job.cancelled()))
        .containsExactly(done, failed, cancelled);
    assertCountsEqualRows(id);
  }

  private void assertCountsEqualRows(String id) {
    Job job = jobs.get(id);
    assertThat(List.of(job.done(), job.failed(), job.cancelled()))
        .containsExactly(
            count(id, "AND status = 4"), count(id, "AND status = 8"), count(id, "AND status = 16"));
    assertThat(rowsOf(id)).isEqualTo(job.total());
    assertThat(jobs.tasks(id)).allSatisfy(t -> assertThat(TaskId.parse(t.taskId())).isPresent());
  }

  private static void assertRefused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FlowException.class, e -> assertThat(e.errorCode()).isEqualTo(code));
  }
}
