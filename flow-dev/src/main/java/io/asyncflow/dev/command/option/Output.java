package io.asyncflow.dev.command.option;

import io.asyncflow.api.OneLine;
import io.asyncflow.dev.text.JsonText;
import java.io.PrintStream;
import picocli.CommandLine.Option;

/** How a command prints what a server has answered: as lines for people, or as JSON. */
public final class Output {

  @Option(names = "--json", description = "print the answer as JSON, with the names of the API")
  private boolean json;

  /** Whether this has printed the answer as JSON; otherwise the command prints its lines. */
  public boolean printed(Object answer, PrintStream out) {
    if (json) {
      out.println(JsonText.of(answer));
    }
    return json;
  }

  /**
   * Says how a list goes on.
   *
   * @param cursor {@code null} where it ends
   */
  public static void tellCursor(String cursor, PrintStream out) {
    if (cursor != null) {
      out.println("Go on with --cursor " + OneLine.of(cursor));
    }
  }
}
