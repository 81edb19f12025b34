package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.FlowClient;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.environment.ServerOption;
import java.io.PrintStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./asyncflow pause}: pauses a type, a stage, a worker, a task or a job of a server. */
@Command(
    name = "pause",
    description =
        "Pauses a type, a stage, a worker, a task or a job of a running server: no worker gets its"
            + " tasks until a resume, and those that run go on.",
    footer = {ServerCommand.TIMES, ServerCommand.KEY})
public final class PauseCommand extends ServerCommand implements Runnable {

  @Mixin private ServerOption server;
  @Mixin private Pausable what;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      description = "when it ends by itself; only of a type, a stage or a worker")
  private String until;

  @Option(
      names = "--stop",
      description = "end the hold of a task that executes; its attempt does not count")
  private boolean stop;

  public PauseCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    super(environment, out, zone);
  }

  @Override
  public void run() {
    if (until != null && what.kind.pause == null) {
      throw new UsageException(
          "a " + what.kind + " is paused until it is resumed, without --until");
    }
    if (stop && what.kind != Pausable.Kind.TASK) {
      throw new UsageException("--stop is of a task, and not of a " + what.kind);
    }
    Instant end = until == null ? null : end();
    FlowClient flow = client(server);
    String operator = what.act.operator();
    String reason = what.act.reason();
    switch (what.kind) {
      case TASK -> flow.pauseTask(what.name, stop, operator, reason);
      case JOB -> flow.jobs().pauseJob(what.name, operator, reason);
      default -> flow.pauses().set(what.kind.pause, what.name, end, operator, reason);
    }
    Long shown = end == null ? null : (Long) end.toEpochMilli();
    out.println(end == null ? "Paused." : "Paused until " + times.of(shown) + ".");
  }

  private Instant end() {
    try {
      return times.parse(until);
    } catch (DateTimeException e) {
      throw new UsageException("--until is no time: " + until);
    }
  }
}
