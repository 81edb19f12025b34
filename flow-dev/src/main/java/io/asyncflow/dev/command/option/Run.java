package io.asyncflow.dev.command.option;

import static io.asyncflow.dev.command.option.CommandEntry.JSON;
import static io.asyncflow.dev.command.option.CommandEntry.OPERATOR;
import static io.asyncflow.dev.command.option.CommandEntry.REASON;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.OneLine;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.text.JsonText;
import io.asyncflow.dev.text.Layout;
import io.asyncflow.dev.text.TimeText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A run of a command: what was written on the command line, the server, and where the answer goes.
 */
public record Run(Terminal terminal, CommandSpec command, ServerOption server) {

  /** How long an answer may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  public <T> T get(Argument<T> argument) {
    return argument.in(command);
  }

  /** A client of the server that is named. */
  public FlowClient flow() {
    return server.client(environment(), PATIENCE);
  }

  public Map<String, String> environment() {
    return terminal.environment();
  }

  public TimeText times() {
    return terminal.times();
  }

  /** The name of the caller. */
  public String operator() {
    return get(OPERATOR);
  }

  /** Why, or {@code null}. */
  public String reason() {
    return get(REASON);
  }

  /**
   * Why, for an act that is not done without it.
   *
   * @throws UsageException if no reason is given
   */
  public String requiredReason() {
    String reason = reason();
    if (reason == null || reason.isBlank()) {
      throw new UsageException(command.name() + " needs --reason TEXT.");
    }
    return reason;
  }

  /** Prints an answer as JSON if that is wanted. */
  public <A> A answer(A answer) {
    if (isJson()) {
      terminal.out().println(JsonText.of(answer));
    }
    return answer;
  }

  private boolean isJson() {
    return JSON.isIn(command) && get(JSON);
  }

  /** Prints a line for people, which may have texts of a server; nothing beside JSON. */
  public void say(String line) {
    say(List.of(line));
  }

  /** As {@link #say(String)}. */
  public void say(List<String> lines) {
    if (!isJson()) {
      lines.forEach(line -> terminal.out().println(OneLine.of(line)));
    }
  }

  /** As {@link #say(String)}, if it is so. */
  public void sayIf(boolean isSo, String line) {
    say(isSo ? List.of(line) : List.of());
  }

  /** As {@link #say(String)}, with a name; nothing for what is unknown. */
  public void line(String name, String text) {
    say(Layout.line(name, text).toList());
  }

  /** Prints an id that a call has answered, as JSON with this name or alone. */
  public void sayId(String name, String id) {
    answer(Map.of(name, id));
    say(id);
  }

  /** Prints an answer as JSON or as a sheet. */
  public <T> void sheet(T answer, Layout<T> layout) {
    say(layout.sheet(answer(answer), times()));
  }

  /**
   * Prints an answer as JSON or as a table.
   *
   * @param none what is said if there are no rows
   */
  public <T> void table(Object answer, List<T> rows, Layout<T> layout, String none) {
    answer(answer);
    say(rows.isEmpty() ? List.of(none) : layout.table(rows, times()));
  }

  /** The same for rows that the answer has by this name. */
  public <T> void table(String name, List<T> rows, Layout<T> layout, String none) {
    table(Map.of(name, rows), rows, layout, none);
  }

  /**
   * The same for a page of a list.
   *
   * @param cursor of the next page; {@code null} if there is none
   */
  public <T> void table(Object answer, List<T> rows, Layout<T> layout, String none, String cursor) {
    table(answer, rows, layout, none);
    sayCursor(cursor);
  }

  /** Says how a list goes on; nothing where it ends. */
  public void sayCursor(String cursor) {
    sayIf(cursor != null, "Go on with --cursor " + cursor);
  }
}
