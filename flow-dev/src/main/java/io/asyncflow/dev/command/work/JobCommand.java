package io.asyncflow.dev.command.work;

import io.asyncflow.api.Job;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.JobListRequest;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.dev.command.option.ActOptions;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.PageOptions;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.host.TextFile;
import io.asyncflow.dev.text.JobText;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./asyncflow job}: shows and steers the jobs of a server somewhere. */
@Command(
    name = "job",
    synopsisSubcommandLabel = "COMMAND",
    description = "Shows and steers the jobs of a running server.")
public final class JobCommand extends ServerCommand {

  private static final String ID = "the id of the job";

  public JobCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    super(environment, out, zone);
  }

  record Created(String jobId) {}

  @Command(name = "list", description = "Shows jobs, newest first.")
  void list(
      @Mixin ServerOption server,
      @Option(names = "--user", paramLabel = "USER", description = "only jobs of this user")
          String user,
      @Option(names = "--type", paramLabel = "TYPE", description = "only jobs of this type")
          String type,
      @Option(
              names = "--state",
              paramLabel = "STATE",
              split = ",",
              description = "only ${COMPLETION-CANDIDATES}")
          Set<JobState> states,
      @Mixin PageOptions page,
      @Mixin Output output) {
    Set<JobState> wanted = states == null ? Set.of() : states;
    JobPage found =
        jobs(server)
            .getJobList(new JobListRequest(user, type, wanted, page.limit(), page.cursor()));
    print(
        output,
        found,
        found.jobList(),
        JobText.table(found.jobList(), times),
        "There are no such jobs.",
        found.nextCursor());
  }

  @Command(name = "show", description = "Shows a job.")
  void show(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin Output output) {
    Job job = jobs(server).getJob(id);
    print(output, job, JobText.sheet(job, times));
  }

  @Command(name = "tasks", description = "Shows the children of a job, in their order.")
  void tasks(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin PageOptions page,
      @Mixin Output output) {
    JobTaskPage found = jobs(server).getJobTasks(id, page.limit(), page.cursor());
    print(
        output,
        found,
        found.taskList(),
        JobText.children(found.taskList()),
        "It has no children.",
        found.nextCursor());
  }

  @Command(name = "create", description = "Creates a job that a split divides, and prints its id.")
  void create(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "TYPE", description = "the type of its split and its merge")
          String type,
      @Option(
              names = "--user",
              paramLabel = "USER",
              required = true,
              description = "the user that it is for")
          String user,
      @Option(
              names = "--input",
              paramLabel = "FILE",
              required = true,
              description = "the file with its input")
          Path input,
      @Option(
              names = "--key",
              paramLabel = "KEY",
              description = "the same key and input create one job, however often it is said")
          String key,
      @Mixin Output output) {
    NewJob job = NewJob.of(type, user, TextFile.read(input));
    String id = jobs(server).createJob(key == null ? job : job.withIdempotencyKey(key));
    print(output, new Created(id), id);
  }

  @Command(name = "cancel", description = "Cancels what is left of a job.")
  void cancel(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin ActOptions act) {
    jobs(server).cancelJob(id, act.operator(), act.reason());
    out.println("Cancelled.");
  }

  @Command(
      name = "retry",
      description = "Runs the failed and cancelled tasks of a job again that has ended.")
  void retry(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin ActOptions act) {
    jobs(server).retryJob(id, act.operator(), act.reason());
    out.println("They run again.");
  }

  private JobClient jobs(ServerOption server) {
    return client(server).jobs();
  }
}
