package io.asyncflow.dev.command.option;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.OneLine;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.text.TimeText;
import java.io.PrintStream;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** A command that calls a server somewhere, and prints what the server has answered. */
@Command(
    footer = ServerCommand.KEY,
    exitCodeList = {"0:done", "1:failed", "2:not understood", "3:the server cannot be reached"})
public abstract class ServerCommand {

  /** A line of help. */
  public static final String KEY =
      "A key for the server is taken from FLOW_API_KEY, or from the file that FLOW_API_KEY_FILE"
          + " names.";

  /** A line of help. */
  public static final String TIMES =
      "A time is written 2026-11-23T03:00, in the time zone of this machine, or"
          + " 2026-11-23T03:00+01:00.";

  /** How long an answer may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  protected final Map<String, String> environment;
  protected final PrintStream out;
  protected final TimeText times;

  protected ServerCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    this.environment = environment;
    this.out = out;
    this.times = new TimeText(zone);
  }

  protected final FlowClient client(ServerOption server) {
    return server.client(environment, PATIENCE);
  }

  /** Prints an answer as JSON or as these lines. */
  protected final void print(Output output, Object answer, List<String> lines) {
    if (!output.printed(answer, out)) {
      lines.forEach(out::println);
    }
  }

  /** Prints an answer as JSON, or the id in it. */
  protected final void print(Output output, Object answer, String id) {
    print(output, answer, List.of(OneLine.of(id)));
  }

  /**
   * Prints a page as JSON or as a table.
   *
   * @param rows of the page
   * @param table made of the rows
   * @param none what is said if there are no rows
   * @param cursor of the next page; {@code null} if there is none
   */
  protected final void print(
      Output output, Object page, List<?> rows, List<String> table, String none, String cursor) {
    if (!output.printed(page, out)) {
      (rows.isEmpty() ? List.of(none) : table).forEach(out::println);
      Output.tellCursor(cursor, out);
    }
  }

  /** Prints a line with a name; nothing for what is unknown. */
  protected final void line(String name, String text) {
    if (text != null && !text.isEmpty()) {
      out.println("  %-16s%s".formatted(name, OneLine.of(text)));
    }
  }
}
