package io.asyncflow.dev.command;

import io.asyncflow.dev.text.JsonText;
import java.io.PrintStream;
import picocli.CommandLine.Option;

/** How a command prints what a server has answered: as lines for people, or as JSON. */
final class Output {

  @Option(names = "--json", description = "print the answer as JSON, with the names of the API")
  private boolean json;

  /** Whether this has printed the answer as JSON; otherwise the command prints its lines. */
  boolean printed(Object answer, PrintStream out) {
    if (json) {
      out.println(JsonText.of(answer));
    }
    return json;
  }
}
