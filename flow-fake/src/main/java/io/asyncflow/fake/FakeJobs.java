package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.EventStream;
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
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.JobPause;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.JobRules;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
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
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The jobs of a {@link FakeFlowServer}, guarded by its lock. */
final class FakeJobs {

  private static final class Row {
    final NewJob created;
    JobRow job;
    FakeTeam team;
    final List<JobChild> staged = new ArrayList<>();
    final List<String> children = new ArrayList<>();

    Row(NewJob created) {
      this.created = created;
    }

    void set(Map<String, ?> changes) {
      job = RecordCopy.with(job, changes);
    }
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
    long id = rows.size() + 1;
    Row row = new Row(job);
    TaskId split = null;
    if (job.hasSplit()) {
      split = insert(ownTask(job, JobPlace.SPLIT_STAGE), JobPlace.splitOf(id), traceParent);
    } else if (job.team() == null) {
      row.staged.addAll(job.children());
    } else {
      row.team = new FakeTeam(workers, job, server.millis());
      JobChild copy = new JobChild(job.team().taskStage(), job.team().taskContext(), null);
      row.staged.addAll(Collections.nCopies(row.team.total(), copy));
    }
    Integer children = job.hasSplit() ? null : row.staged.size();
    row.job = JobRow.of(id, job, 0, fire, traceParent, split, children, server.millis());
    rows.put("" + id, row);
    release(row);
    return "" + id;
  }

  private TaskId insert(NewTask task, JobPlace place, String traceParent) {
    return TaskId.parse(server.creates.insert(task, place, traceParent)).orElseThrow();
  }

  /** Gives copies to workers that have come, and those of silent workers to others. */
  void lookAtTeams() {
    List.copyOf(rows.values()).stream()
        .filter(row -> row.team != null && row.job.pause() == JobPause.NONE)
        .filter(row -> row.job.state() == JobState.RUNNING)
        .forEach(this::lookAt);
  }

  private void lookAt(Row row) {
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
    release(row);
  }

  /** The fire that created the job; {@code null} if no schedule did. */
  FireId fireOf(String jobId) {
    return rows.get(jobId).job.fire();
  }

  boolean isFinal(String jobId) {
    return rows.get(jobId).job.state().isFinal();
  }

  private static NewTask ownTask(NewJob job, String stage) {
    return NewTask.of(job.jobType(), stage, job.userId(), "");
  }

  private Job job(String jobId) {
    return rows.get(jobId).job.toJob();
  }

  private JobPage list(SentFields in) {
    JobFields.Listed listed = JobFields.listed(in);
    in.refuseIfBad();
    List<Job> page = new ArrayList<>();
    for (long id = Math.min(rows.size(), listed.before() - 1); id > 0; id--) {
      Job job = job("" + id);
      boolean isOfUser = listed.userId() == null || listed.userId().equals(job.userId());
      if (isOfUser && listed.takes(job.jobType(), job.state())) {
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
    int staged = row.job.stagedEpoch() == page.leaseEpoch() ? row.staged.size() : 0;
    if (page.first() > staged) {
      in.refuse("first", "must be at most " + staged + ": pages come in order");
      in.refuseIfBad();
    }
    if (row.job.state() != JobState.SPLITTING) {
      throw new TransitionNotAllowedException(
          split.id(), "job " + jobId + " is " + row.job.state());
    }
    if (row.job.stagedEpoch() != page.leaseEpoch()) {
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
    row.set(Map.of("stagedEpoch", page.leaseEpoch(), "staged", row.staged.size()));
    return null;
  }

  private void cancelJob(SentFields in) {
    String id = named(in);
    JobState state = rows.get(id).job.state();
    if (state.isFinal() && state != JobState.CANCELLED) {
      throw notAllowed(id, "the job has ended");
    }
    cancel(id);
  }

  private FlowException notAllowed(String jobId, String why) {
    return new FlowException(
        ErrorCode.TRANSITION_NOT_ALLOWED,
        "job " + jobId + " is " + rows.get(jobId).job.state() + ": " + why);
  }

  /** Cancels a job that has not ended, with its tasks, without injected faults. */
  void cancel(String jobId) {
    change(rows.get(jobId), JobRules::stopped);
  }

  private void setPaused(String id, boolean paused) {
    Row row = rows.get(id);
    if (row.job.state().isFinal()) {
      throw notAllowed(id, paused ? "it cannot be paused any more" : "there is nothing to resume");
    }
    boolean isResume = row.job.pause() == JobPause.PAUSED && !paused;
    row.set(Map.of("pause", paused ? JobPause.PAUSED : JobPause.NONE));
    if (isResume) {
      act(TaskAct.RESUME, row, TaskStatus.PAUSED::equals);
    }
    setAside();
  }

  /** Pauses what waits of paused jobs; called under the server's lock. */
  void setAside() {
    for (Row row : rows.values()) {
      if (row.job.pause() == JobPause.PAUSED && !row.job.state().isFinal()) {
        act(TaskAct.PAUSE, row, TaskStatus.WAITING::equals);
      }
    }
  }

  private void act(TaskAct act, Row row, Predicate<TaskStatus> which) {
    Stream<String> own = row.job.ownTasks().stream().map(TaskId::toString);
    Stream.concat(own, List.copyOf(row.children).stream())
        .filter(task -> which.test(server.tasks.row(task).status()))
        .forEach(task -> server.acts.act(act, task));
  }

  private void retry(String id) {
    JobState state = rows.get(id).job.state();
    if (state != JobState.FAILED && state != JobState.CANCELLED) {
      throw notAllowed(id, "only a failed or cancelled job can be retried");
    }
    throw new UnsupportedOperationException("the fake flowsvr retries no jobs");
  }

  /** Records a final task of a job; called under the server's lock. */
  void ended(TaskRow task) {
    Row row = rows.get("" + task.place().jobId());
    if (!moves(row, task)) {
      TaskRow before = task.copy().status(TaskStatus.WAITING).row();
      change(row, job -> JobRules.after(job, List.of(TaskTransition.forced(before, task))));
    }
  }

  private void change(Row row, UnaryOperator<JobRow> rule) {
    JobRow before = RecordCopy.with(row.job, "now", server.millis());
    JobRow changed = rule.apply(before);
    JobRow after = row.team == null ? changed : JobRules.teamEnded(changed, changed.version());
    if (after == before) {
      return;
    }
    row.job = JobRules.written(after);
    switch (after.state()) {
      case RUNNING -> release(row);
      case MERGING -> merge(row);
      case STOPPING -> stop(row, before.state());
      default -> tellSchedule(row.job);
    }
    server.notifyAll();
  }

  private void stop(Row row, JobState before) {
    if (before != JobState.STOPPING) {
      act(TaskAct.CANCEL, row, status -> !status.isFinal());
      change(row, JobRules::judged); // there may have been nothing to cancel
    }
  }

  /** Moves a failed copy of a team to another worker; false if it does not move. */
  private boolean moves(Row row, TaskRow task) {
    Optional<String> next =
        row.team == null || !task.isCopy() || task.status() != TaskStatus.FAILED
            ? Optional.empty()
            : row.team.moveAfterFailure(task.place().index(), task.stage(), server.millis());
    next.ifPresent(worker -> server.acts.reviveFor(task.id().toString(), worker));
    return next.isPresent();
  }

  private void tellSchedule(JobRow job) {
    if (job.fire() != null) {
      TaskStatus status = TaskStatus.valueOf(job.state().name());
      String error = status == TaskStatus.FAILED ? "job " + job.id() + " failed" : null;
      server.schedules.ended(job.fire(), new TriggeredRun(null, "" + job.id()), status, error);
    }
  }

  /** Makes tasks of staged children, as far as the window has room. */
  private void release(Row row) {
    while (row.job.hasStaged() && row.job.room() > 0) {
      int index = row.job.released();
      JobChild child = row.staged.get(index);
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
        Optional<String> worker = row.team.pin(index, server.millis());
        if (worker.isEmpty()) {
          return;
        }
        task = task.withWorkerIds(List.of(worker.get()));
      }
      Integer copies = row.team == null ? null : row.job.total();
      JobPlace place = new JobPlace(row.job.id(), index, copies);
      row.children.add(server.creates.insert(task, place, row.job.traceParent()));
      row.set(Map.of("released", index + 1));
    }
  }

  private void merge(Row row) {
    if (row.job.mergeTask() == null) {
      NewTask merge = ownTask(row.created, JobPlace.MERGE_STAGE);
      JobPlace place = JobPlace.mergeOf(row.job.id());
      row.set(Map.of("mergeTask", insert(merge, place, row.job.traceParent())));
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
