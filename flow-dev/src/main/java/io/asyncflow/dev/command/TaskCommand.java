package io.asyncflow.dev.command;

import io.asyncflow.api.Copy;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.OneLine;
import io.asyncflow.api.Task;
import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.SearchRequest;
import io.asyncflow.api.find.Why;
import io.asyncflow.api.find.WhyReason;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.text.TimeText;
import java.io.PrintStream;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./asyncflow task}: shows and steers one task of a server somewhere. */
@Command(
    name = "task",
    synopsisSubcommandLabel = "COMMAND",
    description = "Shows and steers a task of a running server.",
    footer =
        "A key for the server is taken from FLOW_API_KEY, or from the file that FLOW_API_KEY_FILE"
            + " names.",
    exitCodeList = {"0:done", "1:failed", "2:not understood", "3:the server cannot be reached"})
final class TaskCommand {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String ID = "the id of the task, as 249845410066071552_lark_task_1";

  private final Map<String, String> environment;
  private final PrintStream out;
  private final TimeText times;

  TaskCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    this.environment = environment;
    this.out = out;
    this.times = new TimeText(zone);
  }

  @Command(name = "show", description = "Shows a task.")
  void show(
      @Mixin ServerOption server, @Parameters(paramLabel = "ID", description = ID) String id) {
    Task task = client(server).getTask(id);
    out.println(OneLine.of(task.taskId()));
    line("status", task.taskStatus().name());
    line("stage", task.taskStage());
    line("user", task.userId());
    line("due", times.of(task.orderTime()));
    line(
        "failures", task.crtRetryNum() + " of at most " + task.maxRetryNum() + " that are retried");
    if (task.maxUnexpectedRetries() != null) {
      line(
          "unexpected",
          task.unexpectedNum()
              + " of at most "
              + task.maxUnexpectedRetries()
              + " that are retried");
    }
    line("workers", task.workerIds() == null ? "all" : String.join(", ", task.workerIds()));
    line("last worker", task.workerId());
    line("progress", task.progress() == null ? null : task.progress() + " %");
    line("job", task.jobId());
    Copy copy = task.copy();
    line("copy", copy == null ? null : copy.index() + 1 + " of " + copy.total());
    line("schedule", task.scheduleId());
    line("created", times.of(task.createTime()));
    line("changed", times.of(task.modifyTime()));
    line("context", task.taskContext());
    line("result", task.result());
    line("log", task.scheduleLog());
  }

  @Command(
      name = "find",
      description = "Lists tasks that fit some words, such as: type:tts status:failed age<1h.")
  void find(
      @Mixin ServerOption server,
      @Parameters(
              arity = "1..*",
              paramLabel = "WORDS",
              description =
                  "type: stage: status: user: worker: job: id: text: created: age< age> due< due>"
                      + " retries< retries>, or an id or a text alone")
          List<String> words,
      @Option(
              names = "--limit",
              paramLabel = "N",
              description = "the most tasks (default: ${DEFAULT-VALUE})",
              defaultValue = "20")
          int limit,
      @Option(names = "--cursor", paramLabel = "C", description = "goes on where a search ended")
          String cursor) {
    FoundTasks found =
        client(server)
            .find()
            .search(new SearchRequest(String.join(" ", words), null, limit, cursor));
    for (Task task : found.taskList()) {
      out.println(
          OneLine.of(
              "%s  %s  %s  %s  %s"
                  .formatted(
                      task.taskId(),
                      task.taskStatus().name(),
                      task.taskStage(),
                      task.userId(),
                      times.of(task.orderTime()))));
    }
    String back = found.lookedBackTo() == null ? "" : ", to " + times.of(found.lookedBackTo());
    out.println("Looked at %,d tasks%s.".formatted(found.looked(), back));
    if (found.nextCursor() != null) {
      out.println("Go on with --cursor " + OneLine.of(found.nextCursor()));
    } else if (!found.isWhole()) {
      out.println("There are more places than one search looks at: name a type or a stage.");
    }
  }

  @Command(name = "why", description = "Says why a task does not run.")
  void why(@Mixin ServerOption server, @Parameters(paramLabel = "ID", description = ID) String id) {
    Why why = client(server).find().why(id);
    for (WhyReason reason : why.reasons()) {
      line(reason.code(), reason.text());
      line("", reason.until() == null ? null : "until " + times.of(reason.until()));
    }
    if (why.reasons().isEmpty()) {
      out.println("It is due, and a worker should take it at once.");
    }
  }

  @Command(name = "cancel", description = "Cancels a task that is not final.")
  void cancel(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin ActOptions act) {
    client(server).cancelTask(id, act.operator, act.reason);
    out.println("Cancelled.");
  }

  @Command(
      name = "retry",
      description =
          "Runs a failed or cancelled task again, with all its retries, and prints its id.")
  void retry(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin ActOptions act) {
    out.println(OneLine.of(client(server).retryTask(id, act.operator, act.reason)));
  }

  @Command(
      name = "restart",
      description =
          "Ends the hold of a task that runs; a worker that may hold it runs it again at once. No"
              + " retry is used up.")
  void restart(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin ActOptions act) {
    client(server).restartTask(id, act.operator, act.reason);
    out.println("Restarted.");
  }

  @Command(
      name = "workers",
      description = "Sets the workers that may hold a task; the run of any other worker ends.")
  void workers(
      @Mixin ServerOption server,
      @Parameters(index = "0", paramLabel = "ID", description = ID) String id,
      @Parameters(
              index = "1",
              arity = "0..1",
              split = ",",
              paramLabel = "WORKER,...",
              description = "the ids of the workers")
          List<String> workers,
      @Option(names = "--all", description = "all workers") boolean all,
      @Mixin ActOptions act) {
    boolean named = workers != null && !workers.isEmpty();
    if (named == all) {
      throw new UsageException("workers needs either WORKER,... or --all.");
    }
    client(server).setWorkers(id, all ? List.of() : workers, act.operator, act.reason);
    out.println(all ? "All workers may hold it." : "Its workers are set.");
  }

  private FlowClient client(ServerOption server) {
    return server.client(environment, PATIENCE);
  }

  /** Nothing for what is unknown. */
  private void line(String name, String text) {
    if (text != null && !text.isEmpty()) {
      out.println("  %-16s%s".formatted(name, OneLine.of(text)));
    }
  }
}
