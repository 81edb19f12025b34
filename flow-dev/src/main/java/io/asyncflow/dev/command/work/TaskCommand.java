package io.asyncflow.dev.command.work;

import static io.asyncflow.dev.command.option.Argument.CURSOR;
import static io.asyncflow.dev.command.option.Argument.JSON;
import static io.asyncflow.dev.command.option.Argument.LIMIT;
import static io.asyncflow.dev.command.option.Argument.OPERATOR;
import static io.asyncflow.dev.command.option.Argument.REASON;
import static io.asyncflow.dev.command.option.Argument.flag;
import static io.asyncflow.dev.command.option.Argument.limit;
import static io.asyncflow.dev.command.option.Argument.option;
import static io.asyncflow.dev.command.option.Argument.parameter;

import io.asyncflow.api.Call;
import io.asyncflow.api.CreateResult;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.HistoryEntry;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.api.find.RunningTask;
import io.asyncflow.api.find.SearchRequest;
import io.asyncflow.api.find.SteerClient.Changes;
import io.asyncflow.api.find.TaskHistory;
import io.asyncflow.api.find.Why;
import io.asyncflow.api.find.WhyReason;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Run;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.text.Layout;
import io.asyncflow.dev.text.TimeText;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code ./asyncflow task}: finds, shows and steers tasks of a server somewhere. */
public final class TaskCommand extends CommandEntry {

  private static final int MOST = 100_000_000;

  private static final Argument<String> ID =
      parameter("ID", "the id of the task, as 249845410066071552_lark_task_1");
  private static final Argument<List<String>> WORDS =
      parameter(
              "WORDS",
              "type: stage: status: user: worker: job: id: text: created: age< age> due< due>"
                  + " retries< retries>, or an id or a text alone")
          .rest();
  private static final Argument<String> TYPE = parameter("TYPE", "its type");
  private static final Argument<String> FIRST_STAGE = parameter("STAGE", "its first stage");
  private static final Argument<TaskStatus> TO_STATUS =
      parameter("STATUS", "WAITING, SUCCESS, FAILED or CANCELLED").as(TaskStatus.class);
  private static final Argument<List<String>> WORKERS =
      parameter("WORKER,...", "the ids of the workers").list().optional();

  private static final Argument<String> OF_TYPE =
      option("--type", "TYPE", "the tasks of this type");
  private static final Argument<String> OF_USER =
      option("--user", "USER", "the tasks of this user");
  private static final Argument<Set<TaskStatus>> STATUS =
      option("--status", "STATUS", "only ${COMPLETION-CANDIDATES}").set(TaskStatus.class);
  private static final Argument<Integer> MOST_FOUND = limit(200, "the most that are shown");
  private static final Argument<String> ONLY_TYPE =
      option("--type", "TYPE", "only tasks of this type");
  private static final Argument<String> ONLY_WORKER =
      option("--worker", "ID", "only tasks of this worker");
  private static final Argument<Integer> MOST_RUNNING =
      limit(
          1_000,
          "the most tasks",
          "; there is no cursor, so name a type or a worker to see others");
  private static final Argument<String> USER =
      option("--user", "USER", "the user that it is for").required();
  private static final Argument<String> CONTEXT =
      option("--context", "TEXT", "the context of its first stage").byDefault("");
  private static final Argument<Integer> PRIORITY =
      option("--priority", "N", "seconds of head start").number(0, MOST);
  private static final Argument<Duration> DELAY =
      option("--delay", "TIME", "it is due after so long, such as 30s or 2d").span();
  private static final Argument<Instant> AT = option("--at", "TIME", "it is due then").time();
  private static final Argument<String> KEY =
      option("--key", "KEY", "the same key and task create one task, however often it is said");
  private static final Argument<String> FROM_STAGE =
      option("--stage", "STAGE", "from this stage on");
  private static final Argument<String> WITH_CONTEXT =
      option("--context", "TEXT", "with this context");
  private static final Argument<Integer> EPOCH =
      option(
              "--epoch",
              "N",
              "only the hold with this leaseEpoch; the hold of now if it is not given")
          .number(1, MOST);
  private static final Argument<Boolean> ALL = flag("--all", "all workers");

  static final Layout<Task> TABLE =
      new Layout<Task>()
          .value("TASK", Task::taskId)
          .value("STATUS", Task::taskStatus)
          .value("STAGE", Task::taskStage)
          .value("USER", Task::userId)
          .time("DUE", Task::orderTime)
          .value("FAILURES", Task::crtRetryNum)
          .value("WORKER", Task::workerId);

  private static final Layout<Task> SHEET =
      new Layout<>(Task::taskId)
          .value("status", Task::taskStatus)
          .value("stage", Task::taskStage)
          .value("user", Task::userId)
          .time("due", Task::orderTime)
          .value("failures", task -> retried(task.crtRetryNum(), task.maxRetryNum()))
          .value("unexpected", task -> retried(task.unexpectedNum(), task.maxUnexpectedRetries()))
          .value(
              "workers",
              task -> task.workerIds() == null ? "all" : String.join(", ", task.workerIds()))
          .value("last worker", Task::workerId)
          .value("progress", task -> percent(task.progress()))
          .value("job", Task::jobId)
          .value(
              "copy",
              task ->
                  task.copy() == null
                      ? null
                      : task.copy().index() + 1 + " of " + task.copy().total())
          .value("schedule", Task::scheduleId)
          .time("created", Task::createTime)
          .time("changed", Task::modifyTime)
          .value("context", Task::taskContext)
          .value("result", Task::result)
          .value("log", Task::scheduleLog);

  private static final Layout<RunningTask> RUNNING =
      new Layout<RunningTask>()
          .value("TASK", RunningTask::taskId)
          .value("STAGE", RunningTask::taskStage)
          .value("WORKER", RunningTask::workerId)
          .time("HELD", RunningTask::holdTime)
          .span("FOR", RunningTask::elapsedMs)
          .span("LEASE", RunningTask::leaseMs)
          .value("LAST BEAT", task -> ago(task.beatAgeMs()))
          .value("PROGRESS", task -> percent(task.progress()));

  private static final Layout<HistoryEntry> HISTORY =
      new Layout<HistoryEntry>()
          .time("TIME", HistoryEntry::time)
          .value("WHAT", HistoryEntry::kind)
          .value("STAGE", HistoryEntry::stage)
          .value("OUTCOME", entry -> joined(entry.outcome(), entry.verdict()))
          .value("WORKER", HistoryEntry::workerId)
          .span("TOOK", HistoryEntry::costMs)
          .span("WAITED", HistoryEntry::waitMs)
          .value("WHY", entry -> joined(entry.errMsg(), entry.operator(), entry.reason()));

  public TaskCommand(Terminal terminal) {
    super(terminal, "task");
    says("Finds, shows and steers tasks of a running server.").endsWith(TIMES);
    addReads();
    addCreates();
    addActs();
  }

  private static String retried(Integer failures, Integer most) {
    return most == null ? null : failures + " of at most " + most + " that are retried";
  }

  private static String percent(Integer progress) {
    return progress == null ? null : progress + " %";
  }

  private static String ago(Long ms) {
    return ms == null ? null : TimeText.ofDuration(ms) + " ago";
  }

  private static String joined(String... texts) {
    return Stream.of(texts)
        .filter(text -> text != null && !text.isEmpty())
        .collect(Collectors.joining(", "));
  }

  /** A task that an act has made or made wait again. */
  record Acted(String taskId) {}

  private void addReads() {
    command("show", ID, JSON)
        .says("Shows a task.")
        .does(run -> run.sheet(run.flow().getTask(run.get(ID)), SHEET));
    command("list", OF_TYPE, OF_USER, STATUS, LIMIT, CURSOR, JSON)
        .says("Shows the tasks of a type or of a user, newest first.")
        .does(TaskCommand::list);
    command("find", WORDS, MOST_FOUND, CURSOR, JSON)
        .isAlso("search")
        .says("Lists tasks that fit some words, such as: type:tts status:failed age<1h.")
        .does(TaskCommand::find);
    command("why", ID, JSON).says("Says why a task does not run.").does(TaskCommand::why);
    command("history", ID, JSON)
        .says("Shows what happened to a task.")
        .does(
            run -> {
              TaskHistory history = run.answer(run.flow().find().history(run.get(ID)));
              run.say(HISTORY.table(history.entries(), run.times()));
              run.sayIf(history.gaps(), "Earlier runs are not known any more.");
            });
    command("running", ONLY_TYPE, ONLY_WORKER, MOST_RUNNING, JSON)
        .says("Shows tasks that are executing, those that have run for the longest first.")
        .does(TaskCommand::running);
  }

  private static void list(Run run) {
    String type = run.get(OF_TYPE);
    String user = run.get(OF_USER);
    if ((type == null) == (user == null)) {
      throw new UsageException("list needs either --type TYPE or --user USER.");
    }
    TaskPageRequest request = new TaskPageRequest(run.get(STATUS), run.get(LIMIT), run.get(CURSOR));
    TaskPage found =
        type == null
            ? run.flow().getUserTaskList(user, request)
            : run.flow().getTaskList(type, request);
    run.table(found, found.taskList(), TABLE, "There are no such tasks.", found.nextCursor());
  }

  private static void find(Run run) {
    String words = String.join(" ", run.get(WORDS));
    SearchRequest request = new SearchRequest(words, null, run.get(MOST_FOUND), run.get(CURSOR));
    FoundTasks found = run.answer(run.flow().find().search(request));
    if (!found.taskList().isEmpty()) {
      run.say(TABLE.table(found.taskList(), run.times()));
    }
    String back =
        found.lookedBackTo() == null ? "" : ", to " + run.times().of(found.lookedBackTo());
    run.say(String.format(Locale.ROOT, "Looked at %,d tasks%s.", found.looked(), back));
    run.sayCursor(found.nextCursor());
    run.sayIf(
        found.nextCursor() == null && !found.isWhole(),
        "There are more places than one search looks at: name a type or a stage.");
  }

  private static void why(Run run) {
    Why why = run.answer(run.flow().find().why(run.get(ID)));
    for (WhyReason reason : why.reasons()) {
      run.line(reason.code(), reason.text());
      run.line("", reason.until() == null ? null : "until " + run.times().of(reason.until()));
    }
    run.sayIf(why.reasons().isEmpty(), "It is due, and a worker should take it at once.");
  }

  private static void running(Run run) {
    RunningPage page =
        run.flow().find().running(run.get(ONLY_TYPE), run.get(ONLY_WORKER), run.get(MOST_RUNNING));
    run.table(page, page.runningList(), RUNNING, "Nothing is executing.");
    run.sayIf(!page.isWhole(), "There are more than were looked at; name a type or a worker.");
  }

  private void addCreates() {
    command("create", TYPE, FIRST_STAGE, USER, CONTEXT, PRIORITY, DELAY, AT, KEY, JSON)
        .says("Creates a task, and prints its id.")
        .does(
            run -> {
              CreateResult created = run.answer(run.flow().create(newTask(run)));
              run.say(created.taskId());
            });
    command("clone", ID, FROM_STAGE, WITH_CONTEXT, AT, OPERATOR, REASON, JSON)
        .says("Makes a new task like another one, also like one that is final, and prints its id.")
        .does(
            run -> {
              Changes changes =
                  new Changes(
                      run.get(FROM_STAGE), run.get(WITH_CONTEXT), null, ms(run, AT), null, null);
              sayId(
                  run,
                  run.flow().steer().clone(run.get(ID), changes, run.operator(), run.reason()));
            });
  }

  private static NewTask newTask(Run run) {
    NewTask task = NewTask.of(run.get(TYPE), run.get(FIRST_STAGE), run.get(USER), run.get(CONTEXT));
    if (run.get(DELAY) != null && run.get(AT) != null) {
      throw new UsageException("create takes either --delay or --at.");
    }
    Long runAt = ms(run, AT);
    task = run.get(PRIORITY) == null ? task : task.withPriority(run.get(PRIORITY));
    task = run.get(DELAY) == null ? task : task.withDelayMs(run.get(DELAY).toMillis());
    task = runAt == null ? task : task.withRunAt(runAt);
    return run.get(KEY) == null ? task : task.withIdempotencyKey(run.get(KEY));
  }

  private static Long ms(Run run, Argument<Instant> time) {
    return run.get(time) == null ? null : (Long) run.get(time).toEpochMilli();
  }

  private static void sayId(Run run, String taskId) {
    run.answer(new Acted(taskId));
    run.say(taskId);
  }

  /** What an act is given beside the task. */
  private interface Given extends BiFunction<Run, Call<Void>, Call<Void>> {}

  private void addActs() {
    act(TaskAct.CANCEL, "cancel", run -> "Cancelled.").says("Cancels a task that is not final.");
    command("retry", ID, OPERATOR, REASON, JSON)
        .says("Runs a failed or cancelled task again, with all its retries, and prints its id.")
        .does(run -> sayId(run, run.flow().retryTask(run.get(ID), run.operator(), run.reason())));
    act(TaskAct.RESTART, "restart", run -> "Restarted.")
        .says(
            "Ends the hold of a task that runs; a worker that may hold it runs it again at once. No"
                + " retry is used up.");
    act(TaskAct.EXPIRE_LEASE, "expire", run -> "Its lease has ended.", TaskCommand::epoch, EPOCH)
        .says(
            "Ends the lease of a task that runs. No retry is used up, and the report of the hold is"
                + " good until the next hold.");
    act(
            TaskAct.SET_STATUS,
            "force",
            run -> "It is " + run.get(TO_STATUS) + ".",
            TaskCommand::status,
            TO_STATUS)
        .says(
            "Sets the status of a task, whatever it is now. The holder cannot report any more; a task"
                + " that waits from now on has all its retries.");
    act(TaskAct.RUN_NOW, "run", run -> "It is due.")
        .says("Makes a waiting task due now that would be due later.");
    act(
            TaskAct.RESCHEDULE,
            "reschedule",
            run -> "Rescheduled.",
            TaskCommand::due,
            AT,
            DELAY,
            PRIORITY)
        .says("Changes when a waiting task is due, or how urgent it is.");
    act(
            TaskAct.SET_WORKERS,
            "workers",
            TaskCommand::workersAreSet,
            TaskCommand::workers,
            WORKERS,
            ALL)
        .says("Sets the workers that may hold a task; the run of any other worker ends.");
  }

  private CommandEntry act(TaskAct act, String name, Function<Run, String> done) {
    return act(act, name, done, (run, call) -> call);
  }

  /** Adds a command that does an act to a task, and says that it is done. */
  private CommandEntry act(
      TaskAct act, String name, Function<Run, String> done, Given given, Argument<?>... further) {
    return command(name, ID)
        .takes(further)
        .takes(OPERATOR, REASON)
        .does(
            run -> {
              String reason = act.needsReason() ? run.requiredReason() : run.reason();
              Call<Void> call = given.apply(run, Call.to(act, run.get(ID)));
              run.flow().transport().send(call.by(run.operator(), reason));
              run.say(done.apply(run));
            });
  }

  private static Call<Void> epoch(Run run, Call<Void> call) {
    Integer epoch = run.get(EPOCH);
    return call.with("leaseEpoch", epoch == null ? holdOf(run.flow().getTask(run.get(ID))) : epoch);
  }

  private static int holdOf(Task task) {
    if (task.taskStatus() != TaskStatus.EXECUTING) {
      throw new DevException("It has no lease: it is " + task.taskStatus() + ".");
    }
    return task.leaseEpoch();
  }

  private static Call<Void> status(Run run, Call<Void> call) {
    TaskStatus status = run.get(TO_STATUS);
    if (status == TaskStatus.EXECUTING || status == TaskStatus.PAUSED) {
      throw new UsageException("STATUS wants WAITING, SUCCESS, FAILED or CANCELLED.");
    }
    return call.with("status", status.code());
  }

  private static Call<Void> due(Run run, Call<Void> call) {
    Duration delay = run.get(DELAY);
    if (Stream.of(AT, DELAY, PRIORITY).map(run::get).filter(Objects::nonNull).count() != 1) {
      throw new UsageException("reschedule needs one of --at, --delay and --priority.");
    }
    return call.with("runAt", ms(run, AT))
        .with("delayMs", delay == null ? null : delay.toMillis())
        .with("priority", run.get(PRIORITY));
  }

  private static Call<Void> workers(Run run, Call<Void> call) {
    if (run.get(WORKERS).isEmpty() != run.get(ALL)) {
      throw new UsageException("workers needs either WORKER,... or --all.");
    }
    return call.with("workerIds", run.get(WORKERS));
  }

  private static String workersAreSet(Run run) {
    return run.get(ALL) ? "All workers may hold it." : "Its workers are set.";
  }
}
