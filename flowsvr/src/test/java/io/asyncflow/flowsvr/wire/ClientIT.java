package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.CreateResult;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobListRequest;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskFollower;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.WorkerInfo;
import io.asyncflow.api.find.SteerClient.NewDue;
import io.asyncflow.api.table.TableState;
import io.asyncflow.api.table.TaskTable;
import io.asyncflow.api.worker.Worker;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** What a business application does, with the client that it has. */
@RunningServer
@Timeout(60)
class ClientIT {

  @LocalServerPort int port;
  @Autowired Given given;

  private FlowClient flow;
  private TaskType type;
  private String user;

  @BeforeEach
  void newTypeAndUser() {
    flow = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null);
    type = given.aType().create();
    user = "user-of-" + type.name();
  }

  private NewTask aTask() {
    return NewTask.of(type.name(), "first", user, "{}");
  }

  @Test
  void workerIsListedShownAndDrained() {
    String worker = "worker-of-" + type.name();
    WorkerInfo info =
        new WorkerInfo(
            "host",
            "1.0",
            null,
            List.of(type.name() + "/first"),
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null);
    Heartbeat beat = new Heartbeat(worker, List.of(), info, "start");
    flow.heartbeat(beat);

    assertThat(flow.workers().list(1_000)).extracting(Worker::workerId).contains(worker);
    Worker shown = flow.workers().get(worker);
    assertThat(shown.state()).isEqualTo("alive");
    assertThat(shown.description().get("stages")).isEqualTo(List.of(type.name() + "/first"));
    flow.workers().drain(worker, Duration.ofMinutes(1), "ann", "new version");
    flow.workers().undoDrain(worker, "ann", null);
    assertThat(flow.heartbeat(beat).drain()).isFalse();
    flow.workers().drain(worker, null, null, null);
    assertThat(flow.heartbeat(beat).drain()).isTrue();
    assertThat(refusalOf(() -> flow.workers().get("nobody-" + worker)))
        .isEqualTo(ErrorCode.NO_SUCH_OBJECT);
  }

  private static ErrorCode refusalOf(Runnable call) {
    try {
      call.run();
    } catch (FlowException e) {
      return e.errorCode();
    }
    throw new AssertionError("was not refused");
  }

  private static List<String> idsOnAllPages(
      TaskPageRequest request, Function<TaskPageRequest, TaskPage> list) {
    List<String> ids = new ArrayList<>();
    String cursor = null;
    do {
      TaskPage page = list.apply(request.withCursor(cursor));
      assertThat(page.taskList()).hasSizeLessThanOrEqualTo(request.limit());
      page.taskList().forEach(task -> ids.add(task.taskId()));
      cursor = page.nextCursor();
    } while (cursor != null);
    return ids;
  }

  @Test
  void aTaskIsFollowedToItsEnd() throws Exception {
    String id = flow.createTask(aTask());
    TaskFollower follower = new TaskFollower(flow);
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(() -> follower.follow(id, Duration.ZERO));

    given.reportOn(given.aHold(type).theTask()).success("done");

    Task end = follower.follow(id, Duration.ofMinutes(1));
    assertThat(end.taskStatus()).isEqualTo(TaskStatus.SUCCESS);
    assertThat(end.result()).isEqualTo("done");
  }

  @Test
  void createsAreToldWhatTheyDidAndTasksAreReadByTheirKey() {
    NewTask keyed = aTask().withIdempotencyKey("k");
    CreateResult first = flow.create(keyed);
    assertThat(first.outcome()).isEqualTo(CreateOutcome.CREATED);
    NewTask other = keyed.withTaskContext("other").withOnDuplicate(OnDuplicate.REPLACE);
    assertThat(flow.create(List.of(keyed, other.withKeyMs(5_000).withKeyUntilDone())))
        .containsExactly(
            new CreateResult(first.taskId(), CreateOutcome.EXISTING),
            new CreateResult(first.taskId(), CreateOutcome.REPLACED));

    Task task = flow.getTask(type.name(), "k");
    assertThat(task.taskId()).isEqualTo(first.taskId());
    assertThat(task.taskContext()).isEqualTo("other");
    assertThat(refusalOf(() -> flow.getTask(type.name(), "no such key")))
        .isEqualTo(ErrorCode.NO_SUCH_TASK);
  }

  @Test
  void reportCreatesTasks() {
    flow.createTask(aTask());
    Task held = given.aHold(type).theTask();
    Report report =
        given.reportOn(held).withId("r").asSuccess("done").withCreates(List.of(aTask(), aTask()));

    List<ReportResult> first = flow.report(List.of(report));

    assertThat(first.get(0).created()).hasSize(2);
    assertThat(flow.report(List.of(report)).get(0).created()).isEqualTo(first.get(0).created());
    assertThat(flow.getTask(first.get(0).created().get(1)).taskStatus())
        .isEqualTo(TaskStatus.WAITING);
  }

  @Test
  void listsGoOverAllTablesPageByPage() {
    List<String> ids = new ArrayList<>(flow.createTasks(Collections.nCopies(3, aTask())));
    given.nextTable(type);
    ids.addAll(flow.createTasks(Collections.nCopies(2, aTask())));
    flow.cancelTask(ids.get(1));
    flow.cancelTask(ids.get(3));
    List<String> cancelled = List.of(ids.get(3), ids.get(1));
    Collections.reverse(ids);

    TaskPageRequest all = TaskPageRequest.of().withLimit(2);
    TaskPageRequest ended = TaskPageRequest.of(TaskStatus.FAILED, TaskStatus.CANCELLED);
    assertThat(idsOnAllPages(all, page -> flow.getTaskList(type.name(), page))).isEqualTo(ids);
    assertThat(idsOnAllPages(all, page -> flow.getUserTaskList(user, page))).isEqualTo(ids);
    assertThat(idsOnAllPages(ended.withLimit(1), page -> flow.getTaskList(type.name(), page)))
        .isEqualTo(cancelled);
    assertThat(idsOnAllPages(ended.withLimit(1), page -> flow.getUserTaskList(user, page)))
        .isEqualTo(cancelled);
  }

  @Test
  void aListOfNobodysTasksIsEmptyAndAnUnknownTypeIsRefused() {
    assertThat(flow.getUserTaskList("nobody", TaskPageRequest.of()))
        .isEqualTo(new TaskPage(List.of(), null));
    assertThat(refusalOf(() -> flow.getTaskList("nosuchtype", TaskPageRequest.of())))
        .isEqualTo(ErrorCode.NO_SUCH_TASK_TYPE);
    assertThat(refusalOf(() -> flow.getUserTaskList(user, TaskPageRequest.of().withLimit(0))))
        .isEqualTo(ErrorCode.INVALID_INPUT);
  }

  @Test
  void aCancelledTaskIsNotHeldBeforeItIsRetried() {
    String id = flow.createTask(aTask());
    assertThat(refusalOf(() -> flow.retryTask(id))).isEqualTo(ErrorCode.TRANSITION_NOT_ALLOWED);

    flow.cancelTask(id, "ann", "not needed");
    flow.cancelTask(id); // it is already
    assertThat(flow.getTask(id).taskStatus()).isEqualTo(TaskStatus.CANCELLED);
    assertThat(given.aHold(type).now()).isEmpty();

    assertThat(flow.retryTask(id, "ann", "needed after all")).isEqualTo(id);
    assertThat(given.aHold(type).theTask().taskId()).isEqualTo(id);
  }

  @Test
  void aDoneTaskIsNeitherCancelledNorRetried() {
    String id = flow.createTask(aTask());
    given.reportOn(given.aHold(type).theTask()).success("done");

    assertThat(refusalOf(() -> flow.cancelTask(id))).isEqualTo(ErrorCode.TRANSITION_NOT_ALLOWED);
    assertThat(refusalOf(() -> flow.retryTask(id))).isEqualTo(ErrorCode.TRANSITION_NOT_ALLOWED);
    String unknown = "1_" + type.name() + "_task_1";
    assertThat(refusalOf(() -> flow.cancelTask(unknown))).isEqualTo(ErrorCode.NO_SUCH_TASK);
    assertThat(refusalOf(() -> flow.retryTask(unknown))).isEqualTo(ErrorCode.NO_SUCH_TASK);
  }

  @Test
  void jobsAreListedByWhatTheyAre() {
    NewJob job = NewJob.of(type.name(), user, "text");
    String older = flow.jobs().createJob(job);
    String newer = flow.jobs().createJob(job);

    JobListRequest ofUser = JobListRequest.ofUser(user);
    assertThat(flow.jobs().getJobList(ofUser).jobList())
        .extracting(Job::jobId)
        .containsExactly(newer, older);

    JobListRequest oneByOne =
        new JobListRequest(user, type.name(), Set.of(JobState.SPLITTING), 1, null);
    JobPage first = flow.jobs().getJobList(oneByOne);
    JobPage second = flow.jobs().getJobList(oneByOne.withCursor(first.nextCursor()));
    assertThat(first.jobList()).extracting(Job::jobId).containsExactly(newer);
    assertThat(second.jobList()).extracting(Job::jobId).containsExactly(older);

    JobListRequest ended = new JobListRequest(user, null, Set.of(JobState.FAILED), null, null);
    assertThat(flow.jobs().getJobList(ended).jobList()).isEmpty();
  }

  @Test
  void aTaskIsMovedAndItsLeaseEndedByHand() {
    String id = flow.createTask(aTask().withMaxRetryInterval(7));
    assertThat(flow.getTask(id).maxRetryInterval()).isEqualTo(7);

    flow.steer().reschedule(id, NewDue.in(3_600_000), "ann", "later");
    flow.steer().reschedule(id, NewDue.ofPriority(60), "ann", null);
    assertThat(given.aHold(type).now()).isEmpty();
    flow.steer().reschedule(id, NewDue.at(flow.getTask(id).createTime()), "ann", "now");
    Task held = given.aHold(type).theTask();
    assertThat(held.priority()).isEqualTo(60);

    flow.steer().expireLease(id, held.leaseEpoch(), "ann", "the worker is gone");
    assertThat(flow.getTask(id).taskStatus()).isEqualTo(TaskStatus.WAITING);

    flow.steer().setStatus(id, TaskStatus.FAILED, "ann", "given up");
    assertThat(flow.getTask(id).taskStatus()).isEqualTo(TaskStatus.FAILED);
  }

  @Test
  void nextTableIsBegunByHandAndIsNotDropped() {
    flow.createTask(aTask());
    String next = flow.tables().roll(type.name(), "ops", "to try");
    assertThat(flow.tables().list(type.name()))
        .extracting(TaskTable::table, TaskTable::number, TaskTable::state)
        .containsExactly(
            tuple("t_" + type.name() + "_task_1", 1, TableState.FULL),
            tuple(next, 2, TableState.OPEN));
    assertThat(refusalOf(() -> flow.tables().clean(type.name(), next, "ann", "disk space")))
        .isEqualTo(ErrorCode.TRANSITION_NOT_ALLOWED);
  }

  @Test
  void aChildThatIsNoTaskYetIsExplained() {
    String job = flow.jobs().createJob(NewJob.of(type.name(), user, "text").withPriority(60));
    assertThat(flow.jobs().getJob(job).priority()).isEqualTo(60);
    assertThat(flow.find().whyOfChild(job, 5).headline()).isEqualTo("JOB_HOLDS");
  }

  @Test
  void aLimitOfUsersIsSaved() {
    flow.saveTaskType(
        TaskTypeSettings.named(type.name()).withUserRateLimit(3), Set.of(), "ann", "too many");
    assertThat(flow.taskTypes())
        .filteredOn(settings -> settings.taskType().equalsIgnoreCase(type.name()))
        .extracting(TaskTypeSettings::userRateLimit)
        .containsExactly(3);
  }
}
