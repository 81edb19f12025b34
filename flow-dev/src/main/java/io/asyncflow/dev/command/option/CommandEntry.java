package io.asyncflow.dev.command.option;

import io.asyncflow.api.FlowClient;
import io.asyncflow.dev.environment.ServerOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
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

  /** What is done to a thing. */
  public interface Act {
    void on(FlowClient flow, String id, String operator, String reason);
  }

  /** Adds an entry that does something to the thing with this id, and says that it is done. */
  protected final CommandEntry act(String name, Argument<String> id, String done, Act act) {
    return command(name, id, Argument.OPERATOR, Argument.REASON)
        .does(
            run -> {
              act.on(run.flow(), run.get(id), run.operator(), run.reason());
              run.say(done);
            });
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

  @Override
  public final void run() {
    if (action == null) {
      throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }
    action.accept(new Run(terminal, spec, server));
  }
}
