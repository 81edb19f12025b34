package io.asyncflow.dev.command.work;

import io.asyncflow.api.Call;
import io.asyncflow.api.Copy;
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
  private static final Argument<Instant> AT = option("--at", "TIME", "it is due then").time();
  private static final Argument<Duration> DELAY =
      option("--delay", "TIME", "it is due after so long, such as 30s or 2d").span();
  private static final Argument<Integer> PRIORITY =
      option("--priority", "N", "seconds of head start").number(0, MOST);

  private static final Layout<Task> TABLE =
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
          .value("copy", task -> copy(task.copy()))
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
    addLists();
    addCreates();
    addActs();
  }

  private static String retried(Integer failures, Integer most) {
    return most == null ? null : failures + " of at most " + most + " that are retried";
  }

  private static String copy(Copy copy) {
    return copy == null ? null : copy.index() + 1 + " of " + copy.total();
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

  private void addReads() {
    command("show", ID, JSON)
        .says("Shows a task.")
        .does(run -> run.sheet(run.flow().getTask(run.get(ID)), SHEET));
    command("why", ID, JSON).says("Says why a task does not run.").does(TaskCommand::why);
    command("history", ID, JSON)
        .says("Shows what happened to a task.")
        .does(
            run -> {
              TaskHistory history = run.answer(run.flow().find().history(run.get(ID)));
              run.say(HISTORY.table(history.entries(), run.times()));
              run.sayIf(history.gaps(), "Earlier runs are not known any more.");
            });
  }

  private static void why(Run run) {
    Why why = run.answer(run.flow().find().why(run.get(ID)));
    for (WhyReason reason : why.reasons()) {
      run.line(reason.code(), reason.text());
      run.line("", reason.until() == null ? null : "until " + run.times().of(reason.until()));
    }
    run.sayIf(why.reasons().isEmpty(), "It is due, and a worker should take it at once.");
  }

  private void addLists() {
    Argument<String> type = option("--type", "TYPE", "the tasks of this type");
    Argument<String> user = option("--user", "USER", "the tasks of this user");
    Argument<Set<TaskStatus>> status =
        option("--status", "STATUS", "only ${COMPLETION-CANDIDATES}").set(TaskStatus.class);
    command("list", type, user, status, LIMIT, CURSOR, JSON)
        .says("Shows the tasks of a type or of a user, newest first.")
        .does(run -> list(run, run.get(type), run.get(user), run.get(status)));
    Argument<List<String>> words =
        parameter(
                "WORDS",
                "type: stage: status: user: worker: job: id: text: created: age< age> due< due>"
                    + " retries< retries>, or an id or a text alone")
            .rest();
    Argument<Integer> mostFound = limit(200, "the most that are shown");
    command("find", words, mostFound, CURSOR, JSON)
        .isAlso("search")
        .says("Lists tasks that fit some words, such as: type:tts status:failed age<1h.")
        .does(run -> find(run, String.join(" ", run.get(words)), run.get(mostFound)));
    Argument<String> onlyType = option("--type", "TYPE", "only tasks of this type");
    Argument<String> onlyWorker = option("--worker", "ID", "only tasks of this worker");
    Argument<Integer> mostRunning =
        limit(
            1_000,
            "the most tasks",
            "; there is no cursor, so name a type or a worker to see others");
    command("running", onlyType, onlyWorker, mostRunning, JSON)
        .says("Shows tasks that are executing, those that have run for the longest first.")
        .does(run -> running(run, run.get(onlyType), run.get(onlyWorker), run.get(mostRunning)));
  }

  private static void list(Run run, String type, String user, Set<TaskStatus> statuses) {
    if ((type == null) == (user == null)) {
      throw new UsageException("list needs either --type TYPE or --user USER.");
    }
    TaskPageRequest request = new TaskPageRequest(statuses, run.get(LIMIT), run.get(CURSOR));
    TaskPage found =
        type == null
            ? run.flow().getUserTaskList(user, request)
            : run.flow().getTaskList(type, request);
    run.table(found, found.taskList(), TABLE, "There are no such tasks.", found.nextCursor());
  }

  private static void find(Run run, String words, int limit) {
    SearchRequest request = new SearchRequest(words, null, limit, run.get(CURSOR));
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

  private static void running(Run run, String type, String worker, int limit) {
    RunningPage page = run.flow().find().running(type, worker, limit);
    run.table(page, page.runningList(), RUNNING, "Nothing is executing.");
    run.sayIf(!page.isWhole(), "There are more than were looked at; name a type or a worker.");
  }

  private void addCreates() {
    Argument<String> type = parameter("TYPE", "its type");
    Argument<String> firstStage = parameter("STAGE", "its first stage");
    Argument<String> user = option("--user", "USER", "the user that it is for").required();
    Argument<String> firstContext =
        option("--context", "TEXT", "the context of its first stage").byDefault("");
    Argument<String> key =
        option("--key", "KEY", "the same key and task create one task, however often it is said");
    command("create", type, firstStage, user, firstContext, PRIORITY, DELAY, AT, key, JSON)
        .says("Creates a task, and prints its id.")
        .does(
            run -> {
              NewTask task =
                  NewTask.of(
                      run.get(type), run.get(firstStage), run.get(user), run.get(firstContext));
              create(run, run.get(key) == null ? task : task.withIdempotencyKey(run.get(key)));
            });
    Argument<String> stage = option("--stage", "STAGE", "from this stage on");
    Argument<String> context = option("--context", "TEXT", "with this context");
    command("clone", ID, stage, context, AT, OPERATOR, REASON, JSON)
        .says("Makes a new task like another one, also like one that is final, and prints its id.")
        .does(
            run -> {
              Changes changes =
                  new Changes(run.get(stage), run.get(context), null, runAt(run), null, null);
              run.sayId(
                  "taskId",
                  run.flow().steer().clone(run.get(ID), changes, run.operator(), run.reason()));
            });
  }

  private static void create(Run run, NewTask task) {
    Duration delay = run.get(DELAY);
    if (delay != null && run.get(AT) != null) {
      throw new UsageException("create takes either --delay or --at.");
    }
    NewTask due = run.get(PRIORITY) == null ? task : task.withPriority(run.get(PRIORITY));
    due = delay == null ? due : due.withDelayMs(delay.toMillis());
    due = runAt(run) == null ? due : due.withRunAt(runAt(run));
    run.say(run.answer(run.flow().create(due)).taskId());
  }

  private static Long runAt(Run run) {
    return run.get(AT) == null ? null : (Long) run.get(AT).toEpochMilli();
  }

  /** What an act is given beside the task. */
  private interface Given extends BiFunction<Run, Call<Void>, Call<Void>> {}

  private void addActs() {
    act("cancel", TaskAct.CANCEL, "Cancelled.").says("Cancels a task that is not final.");
    act("restart", TaskAct.RESTART, "Restarted.")
        .says(
            "Ends the hold of a task that runs; a worker that may hold it runs it again at once. No"
                + " retry is used up.");
    act("run", TaskAct.RUN_NOW, "It is due.")
        .says("Makes a waiting task due now that would be due later.");
    command("retry", ID, OPERATOR, REASON, JSON)
        .says("Runs a failed or cancelled task again, with all its retries, and prints its id.")
        .does(
            run ->
                run.sayId(
                    "taskId", run.flow().retryTask(run.get(ID), run.operator(), run.reason())));
    act("reschedule", TaskAct.RESCHEDULE, run -> "Rescheduled.", TaskCommand::due)
        .takes(AT, DELAY, PRIORITY, OPERATOR, REASON)
        .says("Changes when a waiting task is due, or how urgent it is.");
    Argument<Integer> epoch =
        option(
                "--epoch",
                "N",
                "only the hold with this leaseEpoch; the hold of now if it is not given")
            .number(1, MOST);
    act(
            "expire",
            TaskAct.EXPIRE_LEASE,
            run -> "Its lease has ended.",
            (run, call) -> call.with("leaseEpoch", epochOr(run, run.get(epoch))))
        .takes(epoch, OPERATOR, REASON)
        .says(
            "Ends the lease of a task that runs. No retry is used up, and the report of the hold is"
                + " good until the next hold.");
    addForce();
    addWorkers();
  }

  private void addForce() {
    Argument<TaskStatus> status =
        parameter("STATUS", "WAITING, SUCCESS, FAILED or CANCELLED").as(TaskStatus.class);
    act(
            "force",
            TaskAct.SET_STATUS,
            run -> "It is " + run.get(status) + ".",
            (run, call) -> call.with("status", forced(run.get(status)).code()))
        .takes(status, OPERATOR, REASON)
        .says(
            "Sets the status of a task, whatever it is now. The holder cannot report any more; a"
                + " task that waits from now on has all its retries.");
  }

  private void addWorkers() {
    Argument<List<String>> workers =
        parameter("WORKER,...", "the ids of the workers").list().optional();
    Argument<Boolean> all = flag("--all", "all workers");
    act(
            "workers",
            TaskAct.SET_WORKERS,
            run -> run.get(all) ? "All workers may hold it." : "Its workers are set.",
            (run, call) -> call.with("workerIds", among(run.get(workers), run.get(all))))
        .takes(workers, all, OPERATOR, REASON)
        .says("Sets the workers that may hold a task; the run of any other worker ends.");
  }

  private CommandEntry act(String name, TaskAct act, String done) {
    return act(name, act, run -> done, (run, call) -> call).takes(OPERATOR, REASON);
  }

  /** Adds a command that does an act to a task, and says what it has done. */
  private CommandEntry act(String name, TaskAct act, Function<Run, String> done, Given given) {
    return command(name, ID)
        .does(
            run -> {
              String reason = act.needsReason() ? run.requiredReason() : run.reason();
              Call<Void> call = given.apply(run, Call.to(act, run.get(ID)));
              run.flow().transport().send(call.by(run.operator(), reason));
              run.say(done.apply(run));
            });
  }

  private static Call<Void> due(Run run, Call<Void> call) {
    Duration delay = run.get(DELAY);
    if (Stream.of(AT, DELAY, PRIORITY).map(run::get).filter(Objects::nonNull).count() != 1) {
      throw new UsageException("reschedule needs one of --at, --delay and --priority.");
    }
    return call.with("runAt", runAt(run))
        .with("delayMs", delay == null ? null : delay.toMillis())
        .with("priority", run.get(PRIORITY));
  }

  private static int epochOr(Run run, Integer epoch) {
    if (epoch != null) {
      return epoch;
    }
    Task task = run.flow().getTask(run.get(ID));
    if (task.taskStatus() != TaskStatus.EXECUTING) {
      throw new DevException("It has no lease: it is " + task.taskStatus() + ".");
    }
    return task.leaseEpoch();
  }

  private static TaskStatus forced(TaskStatus status) {
    if (status == TaskStatus.EXECUTING || status == TaskStatus.PAUSED) {
      throw new UsageException("STATUS wants WAITING, SUCCESS, FAILED or CANCELLED.");
    }
    return status;
  }

  private static List<String> among(List<String> workers, boolean all) {
    if (workers.isEmpty() != all) {
      throw new UsageException("workers needs either WORKER,... or --all.");
    }
    return workers;
  }
}
