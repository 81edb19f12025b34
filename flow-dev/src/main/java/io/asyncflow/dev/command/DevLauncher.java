package io.asyncflow.dev.command;

import io.asyncflow.dev.environment.Installation;
import java.time.ZoneId;

/**
 * The main class behind {@code ./asyncflow dev}, {@code demo}, {@code submit}, {@code task}, {@code
 * schedule}, {@code pause}, {@code resume}, {@code pauses}, {@code events}, {@code hook}, {@code
 * key}, {@code seal} and {@code audit}.
 */
public final class DevLauncher {
  private DevLauncher() {}

  /**
   * Runs a command.
   *
   * @param arguments the name of the command, and what {@code --help} says of it
   */
  public static void main(String[] arguments) {
    Installation installation = Installation.current();
    System.exit(
        Asyncflow.run(
            arguments,
            new DevCommand(installation),
            new DemoCommand(installation),
            new SubmitCommand(System.getenv(), System.out, System.err, Asyncflow.isTerminal()),
            new TaskCommand(System.getenv(), System.out, ZoneId.systemDefault()),
            new BulkCommand(System.getenv(), System.out, ZoneId.systemDefault()),
            new ScheduleCommand(System.getenv(), System.out, ZoneId.systemDefault()),
            new PauseCommand(System.getenv(), System.out, ZoneId.systemDefault()),
            new ResumeCommand(System.getenv(), System.out),
            new PausesCommand(System.getenv(), System.out, ZoneId.systemDefault()),
            new EventsCommand(System.getenv(), System.out, System.err, ZoneId.systemDefault()),
            new HookCommand(System.getenv(), System.out, ZoneId.systemDefault()),
            new KeyCommand(System.getenv(), System.out, ZoneId.systemDefault()),
            new SealCommand(System.getenv(), System.out),
            new AuditCommand(System.getenv(), System.out, ZoneId.systemDefault())));
  }
}
