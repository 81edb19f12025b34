package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.FlowClient;
import io.asyncflow.dev.environment.ServerOption;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./asyncflow resume}: ends what {@code ./asyncflow pause} began. */
@Command(
    name = "resume",
    description = "Lets a paused type, stage, worker, task or job of a running server go on.",
    footer =
        "A key for the server is taken from FLOW_API_KEY, or from the file that FLOW_API_KEY_FILE"
            + " names.",
    exitCodeList = {"0:done", "1:failed", "2:not understood", "3:the server cannot be reached"})
public final class ResumeCommand implements Runnable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Map<String, String> environment;
  private final PrintStream out;

  @Mixin private ServerOption server;
  @Mixin private Pausable what;

  public ResumeCommand(Map<String, String> environment, PrintStream out) {
    this.environment = environment;
    this.out = out;
  }

  @Override
  public void run() {
    FlowClient flow = server.client(environment, PATIENCE);
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
