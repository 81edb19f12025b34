package io.asyncflow.flowsvr.compose.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.ReportResult.Verdict;
import io.asyncflow.api.Task;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** What tests do to jobs over HTTP, as a worker called "worker" and as whoever made them. */
public final class Jobs {

  static final String WORKER = "worker";
  private static final Duration LONG = Duration.ofSeconds(60);

  public final HttpFlowClient client;
  public final JobClient jobs;

  public Jobs(int port) {
    client = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null);
    jobs = client.jobs();
  }

  public String create(TaskType type) {
    return jobs.createJob(NewJob.of(type.name(), "ann", "one\n\ntwo"));
  }

  /** A job whose split has reported so many children, all of them tasks in the stage "child". */
  public String running(NewJob newJob, int children) {
    String id = jobs.createJob(newJob);
    Task split = hold(newJob.jobType(), "split");
    stage(split, 0, children);
    assertThat(success(split, null)).isEqualTo(Verdict.ACCEPTED);
    awaitReleased(id, children);
    return id;
  }

  private void awaitReleased(String id, int children) {
    await()
        .atMost(LONG)
        .until(() -> tasks(id).stream().filter(task -> task.taskId() != null).count() == children);
  }

  /** Sends children in the stage "child", whose contexts are their indices. */
  public void stage(Task split, int from, int to) {
    for (int first = from; first < to; first += 1_000) {
      jobs.addJobChildren(page(split, first, Math.min(first + 1_000, to)));
    }
  }

  public static JobChildren page(Task split, int from, int to) {
    List<JobChild> children =
        IntStream.range(from, to).mapToObj(i -> new JobChild("child", "" + i, null)).toList();
    return new JobChildren(split.taskId(), split.workerId(), split.leaseEpoch(), from, children);
  }

  /** The one task that becomes due in this stage. */
  public Task hold(String type, String stage) {
    List<Task> held = hold(type, stage, 1);
    assertThat(held).as("due tasks in stage " + stage).hasSize(1);
    return held.get(0);
  }

  /** Waits for tasks of a stage, and holds up to so many. */
  public List<Task> hold(String type, String stage, int limit) {
    return client.holdTasks(new HoldRequest(type, limit, WORKER, 20_000, null, List.of(stage)));
  }

  public List<Task> holdNow(String type, String stage, int limit) {
    return client.holdTasks(new HoldRequest(type, limit, WORKER, 0, null, List.of(stage)));
  }

  public Verdict success(Task task, String result) {
    return report(List.of(task), t -> reportOf(t, Outcome.SUCCESS, result, null)).get(0).outcome();
  }

  public Verdict fail(Task task, String why) {
    return report(List.of(task), t -> reportOf(t, Outcome.FAIL, null, why)).get(0).outcome();
  }

  /** Reports of these tasks in one call. */
  public List<ReportResult> report(List<Task> tasks, Function<Task, Report> report) {
    return client.report(tasks.stream().map(report).toList());
  }

  /** The result of a child is its context, its index, in brackets. */
  public static Report done(Task task) {
    return reportOf(task, Outcome.SUCCESS, "[" + task.taskContext() + "]", null);
  }

  public static Report reportOf(Task task, Outcome outcome, String result, String why) {
    return Report.of(task.taskId(), task.workerId(), task.leaseEpoch(), outcome)
        .withResult(result)
        .withErrMsg(why);
  }

  public Job get(String id) {
    return jobs.getJob(id);
  }

  /** All children, in order. */
  public List<JobTask> tasks(String id) {
    List<JobTask> all = new ArrayList<>();
    String cursor = null;
    do {
      JobTaskPage page = jobs.getJobTasks(id, 1_000, cursor);
      all.addAll(page.taskList());
      cursor = page.nextCursor();
    } while (cursor != null);
    return all;
  }

  public Job awaitState(String id, JobState state) {
    await().atMost(LONG).until(() -> get(id).state() == state);
    return get(id);
  }
}
