package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.FlowClient;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.environment.ServerOption;
import java.io.PrintStream;
import java.time.ZoneOffset;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./asyncflow resume}: ends what {@code ./asyncflow pause} began. */
@Command(
    name = "resume",
    description = "Lets a paused type, stage, worker, task or job of a running server go on.")
public final class ResumeCommand extends ServerCommand implements Runnable {

  @Mixin private ServerOption server;
  @Mixin private Pausable what;

  public ResumeCommand(Map<String, String> environment, PrintStream out) {
    super(environment, out, ZoneOffset.UTC);
  }

  @Override
  public void run() {
    FlowClient flow = client(server);
    String operator = what.act.operator();
    String reason = what.act.reason();
    switch (what.kind) {
      case TASK -> flow.resumeTask(what.name, operator, reason);
      case JOB -> flow.jobs().resumeJob(what.name, operator, reason);
      default -> flow.pauses().clear(what.kind.pause, what.name, operator, reason);
    }
    out.println("It goes on.");
  }
}
