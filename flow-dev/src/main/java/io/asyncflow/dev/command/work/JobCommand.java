package io.asyncflow.dev.command.work;

import io.asyncflow.api.Job;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.JobListRequest;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.OneLine;
import io.asyncflow.dev.command.option.ActOptions;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.PageOptions;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.host.TextFile;
import io.asyncflow.dev.text.JobText;
import io.asyncflow.dev.text.TimeText;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
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
    description = "Shows and steers the jobs of a running server.",
    footer =
        "A key for the server is taken from FLOW_API_KEY, or from the file that FLOW_API_KEY_FILE"
            + " names.",
    exitCodeList = {"0:done", "1:failed", "2:not understood", "3:the server cannot be reached"})
public final class JobCommand {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String ID = "the id of the job";

  private final Map<String, String> environment;
  private final PrintStream out;
  private final TimeText times;

  public JobCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    this.environment = environment;
    this.out = out;
    this.times = new TimeText(zone);
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
    if (output.printed(found, out)) {
      return;
    }
    if (found.jobList().isEmpty()) {
      out.println("There are no such jobs.");
    } else {
      JobText.table(found.jobList(), times).forEach(out::println);
    }
    Output.tellCursor(found.nextCursor(), out);
  }

  @Command(name = "show", description = "Shows a job.")
  void show(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin Output output) {
    Job job = jobs(server).getJob(id);
    if (!output.printed(job, out)) {
      JobText.sheet(job, times).forEach(out::println);
    }
  }

  @Command(name = "tasks", description = "Shows the children of a job, in their order.")
  void tasks(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin PageOptions page,
      @Mixin Output output) {
    JobTaskPage found = jobs(server).getJobTasks(id, page.limit(), page.cursor());
    if (output.printed(found, out)) {
      return;
    }
    if (found.taskList().isEmpty()) {
      out.println("It has no children.");
    } else {
      JobText.children(found.taskList()).forEach(out::println);
    }
    Output.tellCursor(found.nextCursor(), out);
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
    if (!output.printed(new Created(id), out)) {
      out.println(OneLine.of(id));
    }
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
    return server.client(environment, PATIENCE).jobs();
  }
}
