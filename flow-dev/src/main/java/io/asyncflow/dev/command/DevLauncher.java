package io.asyncflow.dev.command;

import io.asyncflow.dev.command.access.AuditCommand;
import io.asyncflow.dev.command.access.KeyCommand;
import io.asyncflow.dev.command.access.SealCommand;
import io.asyncflow.dev.command.fleet.HookCommand;
import io.asyncflow.dev.command.fleet.PauseCommand;
import io.asyncflow.dev.command.fleet.TypeCommand;
import io.asyncflow.dev.command.fleet.WorkerCommand;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.command.work.BulkCommand;
import io.asyncflow.dev.command.work.EventsCommand;
import io.asyncflow.dev.command.work.JobCommand;
import io.asyncflow.dev.command.work.ScheduleCommand;
import io.asyncflow.dev.command.work.TaskCommand;
import io.asyncflow.dev.environment.Installation;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.Map;

/**
 * The main class behind {@code ./asyncflow}, but for {@code server}, {@code bench}, {@code chaos}
 * and the example worker.
 */
public final class DevLauncher {
  private DevLauncher() {}

  /**
   * Runs a command.
   *
   * @param arguments the name of the command, and what {@code --help} says of it
   */
  public static void main(String[] arguments) {
    System.exit(Asyncflow.run(arguments, out -> commands(System.getenv(), out, System.err)));
  }

  /** All commands, which read this environment and print there. */
  static Object[] commands(Map<String, String> environment, PrintStream out, PrintStream err) {
    Installation installation = Installation.current();
    Terminal terminal = new Terminal(environment, out, err, ZoneId.systemDefault());
    return new Object[] {
      new DevCommand(installation),
      new DemoCommand(installation),
      new SubmitCommand(environment, out, err, Asyncflow.isTerminal()),
      new TaskCommand(terminal),
      new TypeCommand(terminal),
      new JobCommand(terminal),
      new WorkerCommand(terminal),
      new BulkCommand(terminal),
      new ScheduleCommand(terminal),
      PauseCommand.pause(terminal),
      PauseCommand.resume(terminal),
      PauseCommand.list(terminal),
      new EventsCommand(terminal),
      new HookCommand(terminal),
      new KeyCommand(terminal),
      new SealCommand(terminal),
      new AuditCommand(terminal),
      new CompletionCommand(out)
    };
  }
}
