package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.worker.Worker;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Run;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.text.Layout;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** {@code ./asyncflow worker COMMAND}: shows and drains the workers of a server somewhere. */
public final class WorkerCommand extends CommandEntry {

  private static final Argument<String> ID = parameter("ID", "the id of the worker");

  private static final Layout<Worker> TABLE =
      new Layout<Worker>()
          .value("WORKER", Worker::workerId)
          .value("STATE", Worker::state)
          .value("HOLDS", Worker::heldTasks)
          .value("HOST", Worker::host)
          .value("STAGES", worker -> text(described(worker).get("stages")))
          .time("LAST SIGN", Worker::lastBeat);

  private static final Layout<Worker> SHEET =
      new Layout<>(Worker::workerId)
          .value("state", Worker::state)
          .value("holds", worker -> worker.heldTasks() + " tasks")
          .value("host", Worker::host)
          .value("sdk", Worker::sdkVersion)
          .value("too old for", worker -> text(worker.tooOldFor()))
          .time("first beat", Worker::firstBeat)
          .time("last sign", Worker::lastBeat);

  public WorkerCommand(Terminal terminal) {
    super(terminal, "worker");
    says(
        "Shows and drains the workers of a running server.",
        "Without a command, ./asyncflow worker runs the example worker.");
    Argument<Integer> limit =
        limit(
            1_000,
            "the most workers",
            "; there is no cursor, since the order changes with each heartbeat");
    command("list", limit, JSON)
        .says("Shows workers, the one that was heard last first.")
        .does(
            run -> {
              List<Worker> workers = run.flow().workers().list(run.get(limit));
              String none = "No worker has sent a heartbeat for a day.";
              run.table("workerList", workers, TABLE, none);
              run.sayIf(workers.size() == run.get(limit), "There may be more workers.");
            });
    command("show", ID, JSON)
        .says("Shows a worker, and what it says of itself.")
        .does(
            run -> {
              Worker worker = run.flow().workers().get(run.get(ID));
              run.sheet(worker, SHEET);
              described(worker).forEach((name, value) -> run.line(name, text(value)));
            });
    Argument<Duration> grace =
        option("--grace", "TIME", "interrupt what it still runs after so long, such as 5m").span();
    Argument<Boolean> undo = flag("--undo", "take a drain back that it has not heard of");
    command("drain", ID, grace, undo, OPERATOR, REASON)
        .says(
            "Tells a worker to finish what it runs, to release what it has not begun, and to stop.")
        .does(run -> drain(run, run.get(grace), run.get(undo)));
  }

  private static void drain(Run run, Duration grace, boolean undo) {
    if (!undo) {
      run.flow().workers().drain(run.get(ID), grace, run.operator(), run.reason());
      run.say("It stops once its tasks are done.");
    } else if (grace == null) {
      run.flow().workers().undoDrain(run.get(ID), run.operator(), run.reason());
      run.say("It need not stop.");
    } else {
      throw new UsageException("--grace is of a drain, and not of --undo.");
    }
  }

  private static Map<String, Object> described(Worker worker) {
    return worker.description() == null ? Map.of() : worker.description();
  }

  /** Any value that a worker may say of itself. */
  private static String text(Object value) {
    if (value instanceof Collection<?> values) {
      return values.stream().map(WorkerCommand::text).collect(Collectors.joining(", "));
    }
    if (value instanceof Map<?, ?> values) {
      return values.entrySet().stream()
          .map(entry -> entry.getKey() + "=" + text(entry.getValue()))
          .collect(Collectors.joining(", "));
    }
    return value == null ? "" : value.toString();
  }
}
