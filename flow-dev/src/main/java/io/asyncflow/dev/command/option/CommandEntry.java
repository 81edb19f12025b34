package io.asyncflow.dev.command.option;

import io.asyncflow.dev.environment.ServerOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * A command: how it is called, what it takes and what it does. One with commands below it is a
 * table of their entries, and does nothing itself.
 */
public class CommandEntry implements Runnable {

  /** A line of help. */
  public static final String TIMES =
      "A time is written 2026-11-23T03:00, in the time zone of this machine, or"
          + " 2026-11-23T03:00+01:00.";

  /** The name of the caller. */
  protected static final Argument<String> OPERATOR =
      option(
              "--operator",
              "NAME",
              "recorded with the act; your name on this machine if it is not given")
          .byDefault("${sys:user.name:-cli}");

  /** Why something is done. */
  protected static final Argument<String> REASON =
      option("--reason", "TEXT", "recorded with the act");

  /** The most lines of a list. */
  protected static final Argument<Integer> LIMIT = limit(1_000, "the most that are shown");

  /** Where a list goes on. */
  protected static final Argument<String> CURSOR =
      option("--cursor", "C", "goes on where a list ended");

  /** The answer is printed as JSON, and not as lines for people. */
  protected static final Argument<Boolean> JSON =
      flag("--json", "print the answer as JSON, with the names of the API");

  /** An option with a text. */
  protected static Argument<String> option(String name, String label, String... description) {
    return new Argument<>(
        name,
        times ->
            OptionSpec.builder(name).paramLabel(label).description(description).type(String.class),
        null);
  }

  /** An option that is given or not. */
  protected static Argument<Boolean> flag(String name, String... description) {
    return new Argument<>(
        name,
        times -> OptionSpec.builder(name).description(description).type(boolean.class),
        false);
  }

  /** A parameter with a text. */
  protected static Argument<String> parameter(String label, String... description) {
    return option(label, label, description);
  }

  /** An option with the most lines of a list. */
  protected static Argument<Integer> limit(int most, String what, String... further) {
    String end = String.join("", further);
    return option("--limit", "N", what + " (${DEFAULT-VALUE}), " + most + " at most" + end)
        .number(1, most)
        .byDefault("100");
  }

  private static final String KEY =
      "A key for the server is taken from FLOW_API_KEY, or from the file that FLOW_API_KEY_FILE"
          + " names.";

  private static final Map<String, String> EXIT_CODES =
      new TreeMap<>(
          Map.of(
              "0", "done",
              "1", "failed",
              "2", "not understood",
              "3", "the server cannot be reached"));

  private final Terminal terminal;
  private final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
  private final ServerOption server = new ServerOption();
  private final Map<String, CommandEntry> entries = new TreeMap<>();
  private Consumer<Run> action;

  protected CommandEntry(Terminal terminal, String name) {
    this.terminal = terminal;
    spec.name(name);
  }

  /** Returns it with all its entries, for picocli; called once. */
  public final CommandSpec spec() {
    entries.forEach((name, entry) -> spec.addSubcommand(name, entry.spec));
    return spec;
  }

  /** Adds an entry that calls a server. */
  protected final CommandEntry command(String name, Argument<?>... arguments) {
    explainServer();
    CommandEntry entry = local(name);
    entry.server.addTo(entry.spec);
    return entry.takes(arguments);
  }

  /** Adds an entry that calls no server, or takes its option itself. */
  protected final CommandEntry local(String name, Argument<?>... arguments) {
    spec.usageMessage().synopsisSubcommandLabel("COMMAND");
    CommandEntry entry = new CommandEntry(terminal, name);
    entries.put(name, entry);
    return entry.takes(arguments);
  }

  /** Sets the lines of the help about it; the first one stands in lists of commands. */
  public final CommandEntry says(String... description) {
    spec.usageMessage().description(description);
    return this;
  }

  /** Adds lines below the help, before those about the server. */
  public final CommandEntry endsWith(String... lines) {
    String[] others = spec.usageMessage().footer();
    spec.usageMessage().footer(Stream.of(lines, others).flatMap(Stream::of).toArray(String[]::new));
    return this;
  }

  /** Adds another name. */
  public final CommandEntry isAlso(String alias) {
    spec.aliases(alias);
    return this;
  }

  /** Adds the option that names the server. */
  protected final CommandEntry callsServer() {
    server.addTo(spec);
    explainServer();
    return this;
  }

  private void explainServer() {
    spec.usageMessage().exitCodeList(EXIT_CODES);
    if (!List.of(spec.usageMessage().footer()).contains(KEY)) {
      spec.usageMessage()
          .footer(
              Stream.concat(Stream.of(spec.usageMessage().footer()), Stream.of(KEY))
                  .toArray(String[]::new));
    }
  }

  public final CommandEntry takes(Argument<?>... arguments) {
    for (Argument<?> argument : arguments) {
      argument.addTo(spec, terminal.times());
    }
    return this;
  }

  /** Sets what it does. */
  public final CommandEntry does(Consumer<Run> value) {
    action = value;
    return this;
  }

  /** Sets what it does, and what it says then. */
  public final CommandEntry does(String done, Consumer<Run> value) {
    return does(value.andThen(run -> run.say(done)));
  }

  @Override
  public final void run() {
    if (action == null) {
      throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }
    action.accept(new Run(terminal, spec, server));
  }
}
