package io.asyncflow.dev.command;

import java.io.PrintStream;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ./asyncflow completion}: what a shell needs to complete commands and options. */
@Command(
    name = "completion",
    description = {
      "Prints a script with which Bash and Zsh complete commands, options and their values.",
      "source <(./asyncflow completion)"
    })
final class CompletionCommand implements Runnable {

  /** The commands that this program does not have: other programs, or the script itself. */
  private static final List<String> OTHERS = List.of("server", "bench", "chaos", "help");

  private final PrintStream out;

  @Spec private CommandSpec spec;

  CompletionCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public void run() {
    CommandLine root = spec.root().commandLine();
    OTHERS.forEach(name -> root.addSubcommand(name, CommandSpec.create()));
    out.print(AutoComplete.bash("asyncflow", root));
    out.flush();
  }
}
