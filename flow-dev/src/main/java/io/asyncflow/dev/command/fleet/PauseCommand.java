package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.FlowClient;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.text.TimeText;
import java.io.PrintStream;
import java.time.DateTimeException;
import java.time.Duration;
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
    footer = {
      "A time is written 2026-11-23T03:00, in the time zone of this machine, or"
          + " 2026-11-23T03:00+01:00.",
      "A key for the server is taken from FLOW_API_KEY, or from the file that FLOW_API_KEY_FILE"
          + " names."
    },
    exitCodeList = {"0:done", "1:failed", "2:not understood", "3:the server cannot be reached"})
public final class PauseCommand implements Runnable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Map<String, String> environment;
  private final PrintStream out;
  private final TimeText times;

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
    this.environment = environment;
    this.out = out;
    this.times = new TimeText(zone);
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
    FlowClient flow = server.client(environment, PATIENCE);
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
