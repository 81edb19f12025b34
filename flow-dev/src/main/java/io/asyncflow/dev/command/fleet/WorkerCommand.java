package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.worker.Worker;
import io.asyncflow.api.worker.WorkerClient;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.ActOptions;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.command.option.TimeSpan;
import io.asyncflow.dev.command.option.WholeNumber.UpTo1000;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.text.WorkerText;
import java.io.PrintStream;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./asyncflow worker COMMAND}: shows and drains the workers of a server somewhere. */
@Command(
    name = "worker",
    synopsisSubcommandLabel = "COMMAND",
    description = {
      "Shows and drains the workers of a running server.",
      "Without a command, ./asyncflow worker runs the example worker."
    })
public final class WorkerCommand extends ServerCommand {

  private static final String ID = "the id of the worker";

  public WorkerCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    super(environment, out, zone);
  }

  record Workers(List<Worker> workerList) {}

  @Command(name = "list", description = "Shows workers, the one that was heard last first.")
  void list(
      @Mixin ServerOption server,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "100",
              converter = UpTo1000.class,
              description =
                  "the most workers (${DEFAULT-VALUE}), 1000 at most; there is no cursor, since the"
                      + " order changes with each heartbeat")
          int limit,
      @Mixin Output output) {
    List<Worker> workers = workers(server).list(limit);
    if (output.printed(new Workers(workers), out)) {
      return;
    }
    if (workers.isEmpty()) {
      out.println("No worker has sent a heartbeat for a day.");
    } else {
      WorkerText.table(workers, times).forEach(out::println);
    }
    if (workers.size() == limit) {
      out.println("There may be more workers.");
    }
  }

  @Command(name = "show", description = "Shows a worker, and what it says of itself.")
  void show(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Mixin Output output) {
    Worker worker = workers(server).get(id);
    print(output, worker, WorkerText.sheet(worker, times));
  }

  @Command(
      name = "drain",
      description =
          "Tells a worker to finish what it runs, to release what it has not begun, and to stop.")
  void drain(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(
              names = "--grace",
              paramLabel = "TIME",
              converter = TimeSpan.class,
              description = "interrupt what it still runs after so long, such as 5m")
          Duration grace,
      @Option(names = "--undo", description = "take a drain back that it has not heard of")
          boolean undo,
      @Mixin ActOptions act) {
    if (undo && grace != null) {
      throw new UsageException("--grace is of a drain, and not of --undo.");
    }
    if (undo) {
      workers(server).undoDrain(id, act.operator(), act.reason());
      out.println("It need not stop.");
    } else {
      workers(server).drain(id, grace, act.operator(), act.reason());
      out.println("It stops once its tasks are done.");
    }
  }

  private WorkerClient workers(ServerOption server) {
    return client(server).workers();
  }
}
