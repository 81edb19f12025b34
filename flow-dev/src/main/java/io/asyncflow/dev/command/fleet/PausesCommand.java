package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseClient;
import io.asyncflow.api.pause.PausePage;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.environment.ServerOption;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./asyncflow pauses}: shows which types, stages and workers of a server are paused. */
@Command(
    name = "pauses",
    description = "Shows which types, stages and workers of a running server are paused.")
public final class PausesCommand extends ServerCommand implements Runnable {

  private static final int PAGE = 1_000;

  @Mixin private ServerOption server;
  @Mixin private Output output;

  public PausesCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    super(environment, out, zone);
  }

  @Override
  public void run() {
    PauseClient pauses = client(server).pauses();
    List<Pause> found = new ArrayList<>();
    String cursor = null;
    do {
      PausePage page = pauses.list(null, PAGE, cursor);
      found.addAll(page.pauseList());
      cursor = page.nextCursor();
    } while (cursor != null);
    if (output.printed(new PausePage(found, null), out)) {
      return;
    }
    if (found.isEmpty()) {
      out.println("Nothing is paused.");
    }
    found.forEach(pause -> out.println(lineOf(pause)));
  }

  /** Such as {@code stage lark/sendmsg, since …, until …, by ann: maintenance}. */
  private String lineOf(Pause pause) {
    String kind = pause.kind().name().toLowerCase(Locale.ROOT);
    StringBuilder line = new StringBuilder(kind + " " + OneLine.of(pause.name()));
    if (pause.pauseTime() > 0) {
      line.append(", since ").append(times.of(pause.pauseTime()));
    }
    if (pause.until() != null) {
      line.append(", until ").append(times.of(pause.until()));
    }
    if (!pause.operator().isEmpty()) {
      line.append(", by ").append(OneLine.of(pause.operator()));
    }
    return pause.reason().isEmpty() ? line.toString() : line + ": " + OneLine.of(pause.reason());
  }
}
