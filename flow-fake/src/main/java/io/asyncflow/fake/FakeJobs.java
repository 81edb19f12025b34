package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.EventStream;
import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.JobEvent;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TransitionNotAllowedException;
import io.asyncflow.rules.field.JobChildFields;
import io.asyncflow.rules.field.JobFields;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.SentFields;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The jobs of a {@link FakeFlowServer}, guarded by its lock, with the failure policy {@code
 * FINISH}.
 */
final class FakeJobs {

  private static final class Row {
    NewJob created;
    FireId fire;
    String traceParent;
    FakeTeam team;
    JobState state = JobState.SPLITTING;
    String splitTask;
    int stagedEpoch;
    final List<JobChild> staged = new ArrayList<>();
    Integer total;
    final List<String> children = new ArrayList<>();
    int done;
    int failed;
    int cancelled;
    String mergeTask;
    String result;
    boolean paused;
  }

  private final FakeFlowServer server;
  private final FakeWorkers workers;
  private final Map<String, Row> rows = new LinkedHashMap<>();

  FakeJobs(FakeFlowServer server, FakeWorkers workers) {
    this.server = server;
    this.workers = workers;
  }

  void answer(FakeCalls calls) {
    calls
        .write("/api/job/createJob", this::createJob)
        .read("/api/job/getJob", in -> job(named(in)))
        .read("/api/job/getJobList", this::list)
        .read("/api/job/getJobTasks", this::tasks)
        .read("/api/job/progress", in -> new Events(named(in)))
        .read("/api/job/getJobInput", this::input)
        .write("/api/job/addChildren", this::addChildren)
        .act("/api/job/cancel", this::cancelJob)
        .act("/api/job/pause", in -> setPaused(named(in), true))
        .act("/api/job/resume", in -> setPaused(named(in), false))
        .act("/api/job/retry", in -> retry(named(in)));
  }

  private String createJob(SentFields in) {
    NewJob job = JobFields.read(in.object("jobData"));
    in.refuseIfBad();
    requireTypes(job, "jobData");
    return create(job, null, server.creates.traceParentOfCall());
  }

  /**
   * Refuses a job of unknown types, or with a text that its type does not take.
   *
   * @param path what the client calls the job
   */
  void requireTypes(NewJob job, String path) {
    server.types.checkSealing(job.jobType(), job.jobInput(), path + ".jobInput");
    server.types.named(job.childType());
    if (job.team() != null) {
      server.types.checkSealing(
          job.childType(), job.team().taskContext(), path + ".team.taskContext");
    }
    if (job.children() != null) {
      requireTypes(job.childType(), job.children(), path + ".children");
    }
  }

  private void requireTypes(String childType, List<JobChild> children, String path) {
    for (int i = 0; i < children.size(); i++) {
      server.types.checkSealing(
          childType, children.get(i).taskContext(), path + "[" + i + "].taskContext");
    }
  }

  /**
   * Creates a job, without injected faults; called under the server's lock.
   *
   * @param fire the fire that creates it; {@code null} if no schedule does
   */
  String create(NewJob job, FireId fire) {
    return create(job, fire, null);
  }

  private String create(NewJob job, FireId fire, String traceParent) {
    String jobId = "" + (rows.size() + 1);
    Row row = new Row();
    row.created = job;
    row.fire = fire;
    row.traceParent = traceParent;
    if (job.hasSplit()) {
      row.splitTask =
          server.creates.insert(
              ownTask(job, JobPlace.SPLIT_STAGE),
              JobPlace.splitOf(Long.parseLong(jobId)),
              traceParent);
      rows.put(jobId, row);
      return jobId;
    }
    row.state = JobState.RUNNING;
    if (job.team() == null) {
      row.staged.addAll(job.children());
    } else {
      row.team = new FakeTeam(workers, job, server.millis());
      JobChild copy = new JobChild(job.team().taskStage(), job.team().taskContext(), null);
      row.staged.addAll(Collections.nCopies(row.team.total(), copy));
    }
    row.total = row.staged.size();
    rows.put(jobId, row);
    release(jobId, row);
    return jobId;
  }

  /** Gives copies to workers that have come, and those of silent workers to others. */
  void lookAtTeams() {
    List.copyOf(rows.entrySet()).stream()
        .filter(row -> row.getValue().team != null && !row.getValue().paused)
        .filter(row -> row.getValue().state == JobState.RUNNING)
        .forEach(row -> lookAt(row.getKey(), row.getValue()));
  }

  private void lookAt(String jobId, Row row) {
    long now = server.millis();
    for (int index = 0; index < row.children.size(); index++) {
      String taskId = row.children.get(index);
      TaskRow task = server.tasks.row(taskId);
      if (task.status() == TaskStatus.WAITING) {
        Optional<String> next = row.team.moveFromSilent(index, task.stage(), now);
        if (next.isPresent()) {
          server.acts.moveTo(taskId, next.get());
        } else if (row.team.isHopeless(index, task.stage(), now)) {
          server.acts.act(TaskAct.CANCEL, taskId);
        }
      }
    }
    release(jobId, row);
  }

  /** The fire that created the job; {@code null} if no schedule did. */
  FireId fireOf(String jobId) {
    return rows.get(jobId).fire;
  }

  boolean isFinal(String jobId) {
    return rows.get(jobId).state.isFinal();
  }

  private static NewTask ownTask(NewJob job, String stage) {
    return NewTask.of(job.jobType(), stage, job.userId(), "");
  }

  private Job job(String jobId) {
    Row row = rows.get(jobId);
    return new Job(
        jobId,
        row.created.userId(),
        row.created.jobType(),
        row.created.childType(),
        row.state,
        FailurePolicy.FINISH,
        0,
        row.created.window(),
        row.fire == null ? null : "" + row.fire.scheduleId(),
        row.fire == null ? null : (Long) row.fire.fireTime(),
        row.total,
        row.done,
        row.failed,
        row.cancelled,
        row.splitTask,
        row.mergeTask,
        row.result,
        null,
        0,
        0,
        null,
        row.paused && !row.state.isFinal() ? Boolean.TRUE : null,
        row.created.merges(),
        row.created.team() == null ? null : row.created.team().withoutContext());
  }

  private JobPage list(SentFields in) {
    JobFields.Listed listed = JobFields.listed(in);
    in.refuseIfBad();
    List<Job> page = new ArrayList<>();
    for (long id = Math.min(rows.size(), listed.before() - 1); id > 0; id--) {
      Job job = job("" + id);
      boolean isOfUser = listed.userId() == null || listed.userId().equals(job.userId());
      if (isOfUser && listed.takes(job)) {
        page.add(job);
        if (page.size() == listed.limit()) {
          return new JobPage(page, job.jobId());
        }
      }
    }
    return new JobPage(page, null);
  }

  private JobTaskPage tasks(SentFields in) {
    int limit = PageFields.limit(in);
    int from = PageFields.from(in);
    List<String> children = rows.get(named(in)).children;
    int end = Math.min(from + limit, children.size());
    List<JobTask> page = new ArrayList<>();
    for (int index = from; index < end; index++) {
      Task task = server.getTask(children.get(index));
      page.add(
          new JobTask(
              index,
              task.taskId(),
              task.taskStage(),
              task.status(),
              task.progress(),
              task.result(),
              null,
              null,
              task.workerId()));
    }
    return new JobTaskPage(page, end < children.size() ? "" + end : null);
  }

  /** Events from the beginning, whatever the last event was. */
  private final class Events implements EventStream<JobEvent> {
    private final String jobId;
    private JobProgress last;
    private int sentEvents;

    Events(String jobId) {
      this.jobId = jobId;
    }

    @Override
    public JobEvent next() throws InterruptedException {
      synchronized (server) {
        if (last != null && last.state().isFinal()) {
          return null;
        }
        JobProgress now = JobProgress.of(job(jobId));
        while (now.equals(last)) {
          server.wait();
          now = JobProgress.of(job(jobId));
        }
        last = now;
        return new JobEvent("" + ++sentEvents, now.state().isFinal(), now);
      }
    }

    @Override
    public void close() {
      // nothing is open
    }
  }

  private Reader input(SentFields in) {
    return new StringReader(Objects.requireNonNullElse(rows.get(named(in)).created.jobInput(), ""));
  }

  private Void addChildren(SentFields in) {
    JobChildren page = JobChildFields.read(in);
    in.refuseIfBad();
    TaskRow split = server.tasks.row(page.taskId());
    if (split.place() == null || split.place().index() != JobPlace.SPLIT) {
      throw new TransitionNotAllowedException(split.id(), "it splits no job");
    }
    HoldFence.require(split, page.leaseEpoch(), page.workerId());
    String jobId = "" + split.place().jobId();
    Row row = rows.get(jobId);
    requireTypes(row.created.childType(), page.children(), "children");
    int staged = row.stagedEpoch == page.leaseEpoch() ? row.staged.size() : 0;
    if (page.first() > staged) {
      in.refuse("first", "must be at most " + staged + ": pages come in order");
      in.refuseIfBad();
    }
    if (row.state != JobState.SPLITTING) {
      throw new TransitionNotAllowedException(split.id(), "job " + jobId + " is " + row.state);
    }
    if (row.stagedEpoch != page.leaseEpoch()) {
      row.stagedEpoch = page.leaseEpoch();
      row.staged.clear();
    }
    for (int i = 0; i < page.children().size(); i++) {
      int index = page.first() + i;
      if (index == row.staged.size()) {
        row.staged.add(page.children().get(i));
      } else {
        row.staged.set(index, page.children().get(i));
      }
    }
    return null;
  }

  private void cancelJob(SentFields in) {
    String id = named(in);
    Row row = rows.get(id);
    if (row.state != JobState.CANCELLED) {
      if (row.state.isFinal()) {
        throw notAllowed(id, "the job has ended");
      }
      cancel(id);
    }
  }

  private FlowException notAllowed(String jobId, String why) {
    return new FlowException(
        ErrorCode.TRANSITION_NOT_ALLOWED,
        "job " + jobId + " is " + rows.get(jobId).state + ": " + why);
  }

  /** Cancels a job that has not ended, with its tasks, without injected faults. */
  void cancel(String jobId) {
    Row row = rows.get(jobId);
    row.state = JobState.STOPPING;
    tasksOf(row)
        .filter(task -> !server.tasks.row(task).status().isFinal())
        .forEach(taskId -> server.acts.act(TaskAct.CANCEL, taskId));
    row.state = JobState.CANCELLED;
    tellSchedule(jobId, row);
    server.notifyAll();
  }

  private void setPaused(String id, boolean paused) {
    Row row = rows.get(id);
    if (row.state.isFinal()) {
      throw notAllowed(id, paused ? "it cannot be paused any more" : "there is nothing to resume");
    }
    boolean isResume = row.paused && !paused;
    row.paused = paused;
    if (isResume) {
      tasksOf(row)
          .filter(task -> server.tasks.row(task).status() == TaskStatus.PAUSED)
          .forEach(taskId -> server.acts.act(TaskAct.RESUME, taskId));
    }
    setAside();
  }

  /** Pauses what waits of paused jobs; called under the server's lock. */
  void setAside() {
    for (Row row : rows.values()) {
      if (row.paused && !row.state.isFinal()) {
        tasksOf(row)
            .filter(task -> server.tasks.row(task).status() == TaskStatus.WAITING)
            .forEach(task -> server.acts.act(TaskAct.PAUSE, task));
      }
    }
  }

  private static Stream<String> tasksOf(Row row) {
    Stream<String> own = Stream.of(row.splitTask, row.mergeTask).filter(Objects::nonNull);
    return Stream.concat(own, List.copyOf(row.children).stream());
  }

  private void retry(String id) {
    JobState state = rows.get(id).state;
    if (state != JobState.FAILED && state != JobState.CANCELLED) {
      throw notAllowed(id, "only a failed or cancelled job can be retried");
    }
    throw new UnsupportedOperationException("the fake flowsvr retries no jobs");
  }

  /** Records a final task of the job; called under the server's lock. */
  void ended(String jobId, String taskId, TaskStatus status, String result) {
    Row row = rows.get(jobId);
    boolean succeeded = status == TaskStatus.SUCCESS;
    if (row.state == JobState.STOPPING) {
      row.cancelled += row.children.contains(taskId) ? 1 : 0;
      return; // it ends when all its tasks have
    }
    if (taskId.equals(row.mergeTask)) {
      row.state = succeeded ? JobState.SUCCESS : JobState.FAILED;
      row.result = result;
    } else if (status == TaskStatus.FAILED && moves(row, taskId)) {
      return;
    } else if (!taskId.equals(row.splitTask)) {
      row.done += succeeded ? 1 : 0;
      row.failed += status == TaskStatus.FAILED ? 1 : 0;
      row.cancelled += status == TaskStatus.CANCELLED ? 1 : 0;
      release(jobId, row);
      mergeIfComplete(jobId, row);
    } else if (succeeded) {
      row.state = JobState.RUNNING;
      row.total = row.stagedEpoch == server.getTask(taskId).leaseEpoch() ? row.staged.size() : 0;
      release(jobId, row);
      mergeIfComplete(jobId, row);
    } else {
      row.state = JobState.FAILED;
    }
    tellSchedule(jobId, row);
    server.notifyAll();
  }

  /** Moves a failed copy of a team to another worker; false if it does not move. */
  private boolean moves(Row row, String taskId) {
    int index = row.children.indexOf(taskId);
    Optional<String> next =
        row.team == null || index < 0
            ? Optional.empty()
            : row.team.moveAfterFailure(index, server.tasks.row(taskId).stage(), server.millis());
    next.ifPresent(worker -> server.acts.reviveFor(taskId, worker));
    return next.isPresent();
  }

  private void tellSchedule(String jobId, Row row) {
    if (row.fire != null && row.state.isFinal()) {
      TaskStatus status = TaskStatus.valueOf(row.state.name());
      String error = status == TaskStatus.FAILED ? "job " + jobId + " failed" : null;
      server.schedules.ended(row.fire, new TriggeredRun(null, jobId), status, error);
    }
  }

  /** Makes tasks of staged children, as far as the window has room. */
  private void release(String jobId, Row row) {
    int window = Objects.requireNonNullElse(row.created.window(), row.total);
    while (row.children.size() < Math.min(row.total, window + ended(row))) {
      JobChild child = row.staged.get(row.children.size());
      NewTask task =
          NewTask.of(
              row.created.childType(),
              child.taskStage(),
              row.created.userId(),
              child.taskContext());
      if (child.workerIds() != null) {
        task = task.withWorkerIds(child.workerIds());
      }
      if (row.team != null) {
        Optional<String> worker = row.team.pin(row.children.size(), server.millis());
        if (worker.isEmpty()) {
          return;
        }
        task = task.withWorkerIds(List.of(worker.get()));
      }
      Integer copies = row.team == null ? null : row.total;
      JobPlace place = new JobPlace(Long.parseLong(jobId), row.children.size(), copies);
      row.children.add(server.creates.insert(task, place, row.traceParent));
    }
  }

  private static int ended(Row row) {
    return row.done + row.failed + row.cancelled;
  }

  private void mergeIfComplete(String jobId, Row row) {
    if (row.done == row.total && !row.created.merges()) {
      row.state = JobState.SUCCESS;
    } else if (row.done == row.total) {
      row.state = JobState.MERGING;
      row.mergeTask =
          server.creates.insert(
              ownTask(row.created, JobPlace.MERGE_STAGE),
              JobPlace.mergeOf(Long.parseLong(jobId)),
              row.traceParent);
    } else if (ended(row) == row.total) {
      row.state = JobState.FAILED;
    }
  }

  /** The id of the job that a call names, whose fields must be valid; it must exist. */
  private String named(SentFields in) {
    Long number = JobFields.jobId(in);
    in.refuseIfBad();
    if (!rows.containsKey("" + number)) {
      throw new FlowException(
          ErrorCode.NO_SUCH_JOB,
          "there is no job " + number + ": there never was, or its retention_days are over");
    }
    return "" + number;
  }
}
