package io.asyncflow.dev.command.work;

import io.asyncflow.api.Job;
import io.asyncflow.api.JobListRequest;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Run;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.host.TextFile;
import io.asyncflow.dev.text.Layout;
import java.nio.file.Path;
import java.util.Set;

/** {@code ./asyncflow job}: shows and steers the jobs of a server somewhere. */
public final class JobCommand extends CommandEntry {

  private static final Argument<String> ID = parameter("ID", "the id of the job");
  private static final Layout<Job> TABLE =
      new Layout<Job>()
          .value("JOB", Job::jobId)
          .value("STATE", JobCommand::state)
          .value("TYPE", Job::jobType)
          .value("USER", Job::userId)
          .value("DONE", JobCommand::done)
          .value("FAILED", Job::failed)
          .time("CREATED", Job::createTime);

  private static final Layout<Job> SHEET =
      new Layout<>(Job::jobId)
          .value("state", JobCommand::state)
          .value("type", Job::jobType)
          .value("children of", Job::childType)
          .value("user", Job::userId)
          .value("done", JobCommand::done)
          .value("failed", Job::failed)
          .value("cancelled", Job::cancelled)
          .value("if one fails", Job::failurePolicy)
          .value("at once", job -> job.window() == null ? null : job.window() + " children")
          .value("split", Job::splitTaskId)
          .value("merge", Job::mergeTaskId)
          .value("schedule", Job::scheduleId)
          .time("created", Job::createTime)
          .time("changed", Job::modifyTime)
          .time("ended", Job::endTime)
          .value("error", Job::errMsg)
          .value("result", Job::result);

  private static final Layout<JobTask> CHILDREN =
      new Layout<JobTask>()
          .value("CHILD", JobTask::index)
          .value(
              "STATUS", child -> child.status() == null ? "-" : TaskStatus.ofCode(child.status()))
          .value("STAGE", JobTask::taskStage)
          .value("TASK", JobTask::taskId)
          .value("WORKER", JobTask::workerId)
          .span("TOOK", JobTask::costMs)
          .value("ERROR", JobTask::errMsg);

  public JobCommand(Terminal terminal) {
    super(terminal, "job");
    says("Shows and steers the jobs of a running server.");
    addList();
    command("show", ID, JSON)
        .says("Shows a job.")
        .does(run -> run.sheet(run.flow().jobs().getJob(run.get(ID)), SHEET));
    command("tasks", ID, LIMIT, CURSOR, JSON)
        .says("Shows the children of a job, in their order.")
        .does(JobCommand::tasks);
    addCreate();
    command("cancel", ID, OPERATOR, REASON)
        .says("Cancels what is left of a job.")
        .does(
            "Cancelled.",
            run -> run.flow().jobs().cancelJob(run.get(ID), run.operator(), run.reason()));
    command("retry", ID, OPERATOR, REASON)
        .says("Runs the failed and cancelled tasks of a job again that has ended.")
        .does(
            "They run again.",
            run -> run.flow().jobs().retryJob(run.get(ID), run.operator(), run.reason()));
  }

  private void addList() {
    Argument<String> user = option("--user", "USER", "only jobs of this user");
    Argument<String> type = option("--type", "TYPE", "only jobs of this type");
    Argument<Set<JobState>> state =
        option("--state", "STATE", "only ${COMPLETION-CANDIDATES}").set(JobState.class);
    command("list", user, type, state, LIMIT, CURSOR, JSON)
        .says("Shows jobs, newest first.")
        .does(
            run -> {
              JobListRequest request =
                  new JobListRequest(
                      run.get(user),
                      run.get(type),
                      run.get(state),
                      run.get(LIMIT),
                      run.get(CURSOR));
              JobPage found = run.flow().jobs().getJobList(request);
              run.table(
                  found, found.jobList(), TABLE, "There are no such jobs.", found.nextCursor());
            });
  }

  private static void tasks(Run run) {
    JobTaskPage found = run.flow().jobs().getJobTasks(run.get(ID), run.get(LIMIT), run.get(CURSOR));
    run.table(found, found.taskList(), CHILDREN, "It has no children.", found.nextCursor());
  }

  private void addCreate() {
    Argument<String> type = parameter("TYPE", "the type of its split and its merge");
    Argument<String> user = option("--user", "USER", "the user that it is for").required();
    Argument<Path> input =
        option("--input", "FILE", "the file with its input").as(Path.class).required();
    Argument<String> key =
        option("--key", "KEY", "the same key and input create one job, however often it is said");
    command("create", type, user, input, key, JSON)
        .says("Creates a job that a split divides, and prints its id.")
        .does(
            run -> {
              NewJob job = NewJob.of(run.get(type), run.get(user), TextFile.read(run.get(input)));
              job = run.get(key) == null ? job : job.withIdempotencyKey(run.get(key));
              run.sayId("jobId", run.flow().jobs().createJob(job));
            });
  }

  private static String state(Job job) {
    return job.state() + (Boolean.TRUE.equals(job.paused()) ? ", paused" : "");
  }

  private static String done(Job job) {
    return job.done() + " of " + (job.total() == null ? "?" : job.total().toString());
  }
}
