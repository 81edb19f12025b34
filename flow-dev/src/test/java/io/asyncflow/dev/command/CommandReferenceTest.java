package io.asyncflow.dev.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** docs/cli.md shows what {@code --help} says of each command. */
class CommandReferenceTest {

  private static final Path DOCUMENT = Path.of("..", "docs", "cli.md");

  private static final Path SCRIPT = Path.of("..", "asyncflow");

  /** What stands below it is made here. */
  private static final String BELOW = "## Commands\n";

  @Test
  void documentHasTheHelpOfEachCommand() throws IOException {
    String document = Files.readString(DOCUMENT);
    assertThat(document).contains(BELOW);
    String written = document.substring(0, document.indexOf(BELOW) + BELOW.length()) + reference();
    if (!document.equals(written)) {
      Path wanted = Files.writeString(Path.of("target", "cli.md"), written);
      fail("docs/cli.md is not what --help says; copy flow-dev/" + wanted + " over it");
    }
  }

  @Test
  void usageOfTheScriptNamesTheSubcommandsOfEachCommand() throws IOException {
    String usage = Files.readString(SCRIPT);
    CommandLine root = Asyncflow.of(DevLauncher.commands(Map.of(), System.out, System.err));
    root.getSubcommands()
        .forEach(
            (name, command) ->
                assertThat(subcommandsOf(name, usage))
                    .as(name)
                    .containsExactlyInAnyOrderElementsOf(
                        command.getSubcommands().values().stream()
                            .map(CommandLine::getCommandName)
                            .distinct()
                            .toList()));
  }

  /** A list of commands shows the first line alone. */
  @Test
  void firstLineOfEachDescriptionIsASentence() {
    everyCommand()
        .forEach(
            command ->
                assertThat(command.getCommandSpec().usageMessage().description()[0])
                    .as(command.getCommandSpec().qualifiedName())
                    .endsWith("."));
  }

  /** Their calls answer nothing, or the program does not print what they answer. */
  @Test
  void everyOtherCommandThatAsksAServerPrintsJson() {
    assertThat(
            everyCommand()
                .filter(command -> command.getCommandSpec().findOption("--url") != null)
                .filter(command -> command.getCommandSpec().findOption("--json") == null)
                .map(
                    command ->
                        command.getCommandSpec().qualifiedName().replace("./asyncflow ", "")))
        .containsExactlyInAnyOrder(
            "submit",
            "pause",
            "resume",
            "task cancel",
            "task restart",
            "task expire",
            "task force",
            "task run",
            "task reschedule",
            "task workers",
            "type save",
            "type clean",
            "job cancel",
            "job retry",
            "bulk stop",
            "bulk resume",
            "schedule pause",
            "schedule resume",
            "schedule delete",
            "worker drain",
            "hook delete",
            "key revoke",
            "key deny",
            "key allow");
  }

  private static Stream<CommandLine> everyCommand() {
    CommandLine root = Asyncflow.of(DevLauncher.commands(Map.of(), System.out, System.err));
    return root.getSubcommands().values().stream()
        .flatMap(
            command ->
                Stream.concat(Stream.of(command), command.getSubcommands().values().stream()))
        .distinct();
  }

  /** The words in brackets below the name of the command. */
  private static List<String> subcommandsOf(String name, String usage) {
    Matcher words =
        Pattern.compile(
                "\n  "
                    + name
                    + " .*(?:\n    .*)*?\n? +\\(([a-z]+(?:,\\s+[a-z]+)*)\\)\n|\n  "
                    + name
                    + " ")
            .matcher(usage);
    assertThat(words.find()).as(name).isTrue();
    return words.group(1) == null ? List.of() : List.of(words.group(1).split(",\\s+"));
  }

  private static String reference() {
    StringBuilder reference = new StringBuilder();
    CommandLine root = Asyncflow.of(DevLauncher.commands(Map.of(), System.out, System.err));
    root.getSubcommands()
        .forEach(
            (name, command) -> {
              reference.append("\n### ").append(name).append('\n');
              append(command, reference);
            });
    return reference.toString();
  }

  /** Subcommands without the exit codes and the footer, which are those of their command. */
  private static void append(CommandLine command, StringBuilder reference) {
    show(command.getUsageMessage(Ansi.OFF), reference);
    command.getSubcommands().values().stream()
        .distinct()
        .forEach(
            subcommand ->
                show(subcommand.getUsageMessage(Ansi.OFF).split("\nExit codes:")[0], reference));
  }

  private static void show(String usage, StringBuilder reference) {
    reference.append("\n```text\n").append(usage.stripTrailing()).append("\n```\n");
  }
}
