package io.asyncflow.dev.command.work;

import io.asyncflow.api.Copy;
import io.asyncflow.api.CreateResult;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.OneLine;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.api.find.SearchRequest;
import io.asyncflow.api.find.SteerClient.Changes;
import io.asyncflow.api.find.SteerClient.NewDue;
import io.asyncflow.api.find.TaskHistory;
import io.asyncflow.api.find.Why;
import io.asyncflow.api.find.WhyReason;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.ActOptions;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.PageOptions;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.command.option.TimeSpan;
import io.asyncflow.dev.command.option.WholeNumber.FromOne;
import io.asyncflow.dev.command.option.WholeNumber.FromZero;
import io.asyncflow.dev.command.option.WholeNumber.UpTo1000;
import io.asyncflow.dev.command.option.WholeNumber.UpTo200;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.text.TaskText;
import java.io.PrintStream;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./asyncflow task}: finds, shows and steers tasks of a server somewhere. */
@Command(
    name = "task",
    synopsisSubcommandLabel = "COMMAND",
    description = "Finds, shows and steers tasks of a running server.",
    footer = {ServerCommand.TIMES, ServerCommand.KEY})
public final class TaskCommand extends ServerCommand {

  private static final String ID = "the id of the task, as 249845410066071552_lark_task_1";

  public TaskCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    super(environment, out, zone);
  }

  /** A task that an act has made or made wait again. */
  record Acted(String taskId) {}

  @Command(name = "show", description = "Shows a task.")
  void show(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin Output output) {
    Task task = client(server).getTask(id);
    if (output.printed(task, out)) {
      return;
    }
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

  @Command(name = "list", description = "Shows the tasks of a type or of a user, newest first.")
  void list(
      @Mixin ServerOption server,
      @Option(names = "--type", paramLabel = "TYPE", description = "the tasks of this type")
          String type,
      @Option(names = "--user", paramLabel = "USER", description = "the tasks of this user")
          String user,
      @Option(
              names = "--status",
              paramLabel = "STATUS",
              split = ",",
              description = "only ${COMPLETION-CANDIDATES}")
          Set<TaskStatus> statuses,
      @Mixin PageOptions page,
      @Mixin Output output) {
    if ((type == null) == (user == null)) {
      throw new UsageException("list needs either --type TYPE or --user USER.");
    }
    TaskPageRequest request =
        new TaskPageRequest(statuses == null ? Set.of() : statuses, page.limit(), page.cursor());
    TaskPage found =
        type == null
            ? client(server).getUserTaskList(user, request)
            : client(server).getTaskList(type, request);
    print(
        output,
        found,
        found.taskList(),
        TaskText.table(found.taskList(), times),
        "There are no such tasks.",
        found.nextCursor());
  }

  @Command(
      name = "find",
      aliases = "search",
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
              defaultValue = "100",
              converter = UpTo200.class,
              description = "the most that are shown (${DEFAULT-VALUE}), 200 at most")
          int limit,
      @Option(names = "--cursor", paramLabel = "C", description = "goes on where a list ended")
          String cursor,
      @Mixin Output output) {
    FoundTasks found =
        client(server)
            .find()
            .search(new SearchRequest(String.join(" ", words), null, limit, cursor));
    if (output.printed(found, out)) {
      return;
    }
    if (!found.taskList().isEmpty()) {
      TaskText.table(found.taskList(), times).forEach(out::println);
    }
    String back = found.lookedBackTo() == null ? "" : ", to " + times.of(found.lookedBackTo());
    out.println(String.format(Locale.ROOT, "Looked at %,d tasks%s.", found.looked(), back));
    Output.tellCursor(found.nextCursor(), out);
    if (found.nextCursor() == null && !found.isWhole()) {
      out.println("There are more places than one search looks at: name a type or a stage.");
    }
  }

  @Command(name = "why", description = "Says why a task does not run.")
  void why(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin Output output) {
    Why why = client(server).find().why(id);
    if (output.printed(why, out)) {
      return;
    }
    for (WhyReason reason : why.reasons()) {
      line(reason.code(), reason.text());
      line("", reason.until() == null ? null : "until " + times.of(reason.until()));
    }
    if (why.reasons().isEmpty()) {
      out.println("It is due, and a worker should take it at once.");
    }
  }

  @Command(name = "history", description = "Shows what happened to a task.")
  void history(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin Output output) {
    TaskHistory history = client(server).find().history(id);
    if (output.printed(history, out)) {
      return;
    }
    TaskText.history(history.entries(), times).forEach(out::println);
    if (history.gaps()) {
      out.println("Earlier runs are not known any more.");
    }
  }

  @Command(
      name = "running",
      description = "Shows tasks that are executing, those that have run for the longest first.")
  void running(
      @Mixin ServerOption server,
      @Option(names = "--type", paramLabel = "TYPE", description = "only tasks of this type")
          String type,
      @Option(names = "--worker", paramLabel = "ID", description = "only tasks of this worker")
          String worker,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "100",
              converter = UpTo1000.class,
              description =
                  "the most tasks (${DEFAULT-VALUE}), 1000 at most; there is no cursor, so name a"
                      + " type or a worker to see others")
          int limit,
      @Mixin Output output) {
    RunningPage page = client(server).find().running(type, worker, limit);
    if (output.printed(page, out)) {
      return;
    }
    if (page.runningList().isEmpty()) {
      out.println("Nothing is executing.");
    } else {
      TaskText.running(page.runningList(), times).forEach(out::println);
    }
    if (!page.isWhole()) {
      out.println("There are more than were looked at; name a type or a worker.");
    }
  }

  @Command(name = "create", description = "Creates a task, and prints its id.")
  void create(
      @Mixin ServerOption server,
      @Parameters(index = "0", paramLabel = "TYPE", description = "its type") String type,
      @Parameters(index = "1", paramLabel = "STAGE", description = "its first stage") String stage,
      @Option(
              names = "--user",
              paramLabel = "USER",
              required = true,
              description = "the user that it is for")
          String user,
      @Option(
              names = "--context",
              paramLabel = "TEXT",
              defaultValue = "",
              description = "the context of its first stage")
          String context,
      @Option(
              names = "--priority",
              paramLabel = "N",
              converter = FromZero.class,
              description = "seconds of head start")
          Integer priority,
      @Option(
              names = "--delay",
              paramLabel = "TIME",
              converter = TimeSpan.class,
              description = "it is due after so long, such as 30s or 2d")
          Duration delay,
      @Option(names = "--at", paramLabel = "TIME", description = "it is due then") String at,
      @Option(
              names = "--key",
              paramLabel = "KEY",
              description = "the same key and task create one task, however often it is said")
          String key,
      @Mixin Output output) {
    NewTask task = NewTask.of(type, stage, user, context);
    if (delay != null && at != null) {
      throw new UsageException("create takes either --delay or --at.");
    }
    task = priority == null ? task : task.withPriority(priority);
    task = delay == null ? task : task.withDelayMs(delay.toMillis());
    task = at == null ? task : task.withRunAt(time(at));
    task = key == null ? task : task.withIdempotencyKey(key);
    CreateResult created = client(server).create(task);
    if (!output.printed(created, out)) {
      out.println(OneLine.of(created.taskId()));
    }
  }

  private Long time(String text) {
    try {
      return text == null ? null : (Long) times.parse(text).toEpochMilli();
    } catch (DateTimeException e) {
      throw new UsageException("--at wants a time such as 2026-11-23T03:00, not " + text + ".");
    }
  }

  @Command(name = "cancel", description = "Cancels a task that is not final.")
  void cancel(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin ActOptions act) {
    client(server).cancelTask(id, act.operator(), act.reason());
    out.println("Cancelled.");
  }

  @Command(
      name = "retry",
      description =
          "Runs a failed or cancelled task again, with all its retries, and prints its id.")
  void retry(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin ActOptions act,
      @Mixin Output output) {
    print(client(server).retryTask(id, act.operator(), act.reason()), output);
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
    client(server).restartTask(id, act.operator(), act.reason());
    out.println("Restarted.");
  }

  @Command(
      name = "expire",
      description =
          "Ends the lease of a task that runs. No retry is used up, and the report of the hold is"
              + " good until the next hold.")
  void expire(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(
              names = "--epoch",
              paramLabel = "N",
              converter = FromOne.class,
              description =
                  "only the hold with this leaseEpoch; the hold of now if it is not given")
          Integer epoch,
      @Mixin ActOptions act) {
    String reason = act.requiredReason("expire");
    FlowClient flow = client(server);
    int leaseEpoch = epoch == null ? holdOf(flow.getTask(id)) : epoch;
    flow.steer().expireLease(id, leaseEpoch, act.operator(), reason);
    out.println("Its lease has ended.");
  }

  private static int holdOf(Task task) {
    if (task.taskStatus() != TaskStatus.EXECUTING) {
      throw new DevException("It has no lease: it is " + task.taskStatus() + ".");
    }
    return task.leaseEpoch();
  }

  @Command(
      name = "force",
      description =
          "Sets the status of a task, whatever it is now. The holder cannot report any more; a task"
              + " that waits from now on has all its retries.")
  void force(
      @Mixin ServerOption server,
      @Parameters(index = "0", paramLabel = "ID", description = ID) String id,
      @Parameters(
              index = "1",
              paramLabel = "STATUS",
              description = "WAITING, SUCCESS, FAILED or CANCELLED")
          TaskStatus status,
      @Mixin ActOptions act) {
    if (status == TaskStatus.EXECUTING || status == TaskStatus.PAUSED) {
      throw new UsageException("STATUS wants WAITING, SUCCESS, FAILED or CANCELLED.");
    }
    String reason = act.requiredReason("force");
    client(server).steer().setStatus(id, status, act.operator(), reason);
    out.println("It is " + status + ".");
  }

  @Command(name = "run", description = "Makes a waiting task due now that would be due later.")
  void run(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin ActOptions act) {
    client(server).steer().runNow(id, act.operator(), act.reason());
    out.println("It is due.");
  }

  @Command(
      name = "reschedule",
      description = "Changes when a waiting task is due, or how urgent it is.")
  void reschedule(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(names = "--at", paramLabel = "TIME", description = "it is due then") String at,
      @Option(
              names = "--delay",
              paramLabel = "TIME",
              converter = TimeSpan.class,
              description = "it is due after so long, such as 30s or 2d")
          Duration delay,
      @Option(
              names = "--priority",
              paramLabel = "N",
              converter = FromZero.class,
              description = "seconds of head start")
          Integer priority,
      @Mixin ActOptions act) {
    if (Stream.of(at, delay, priority).filter(Objects::nonNull).count() != 1) {
      throw new UsageException("reschedule needs one of --at, --delay and --priority.");
    }
    NewDue due = new NewDue(time(at), delay == null ? null : (Long) delay.toMillis(), priority);
    client(server).steer().reschedule(id, due, act.operator(), act.reason());
    out.println("Rescheduled.");
  }

  @Command(
      name = "clone",
      description =
          "Makes a new task like another one, also like one that is final, and prints its id.")
  void cloneTask(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(names = "--stage", paramLabel = "STAGE", description = "from this stage on")
          String stage,
      @Option(names = "--context", paramLabel = "TEXT", description = "with this context")
          String context,
      @Option(names = "--at", paramLabel = "TIME", description = "it is due then") String at,
      @Mixin ActOptions act,
      @Mixin Output output) {
    Changes changes = new Changes(stage, context, null, time(at), null, null);
    print(client(server).steer().clone(id, changes, act.operator(), act.reason()), output);
  }

  private void print(String taskId, Output output) {
    print(output, new Acted(taskId), taskId);
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
    client(server).setWorkers(id, all ? List.of() : workers, act.operator(), act.reason());
    out.println(all ? "All workers may hold it." : "Its workers are set.");
  }
}
