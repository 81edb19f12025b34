package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.api.pause.PausePage;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Run;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.text.TimeText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.TypeConversionException;

/** {@code ./asyncflow pause}, {@code resume} and {@code pauses}, of a server somewhere. */
public final class PauseCommand extends CommandEntry {

  private static final int PAGE = 1_000;

  /** What can be paused. */
  private enum Kind {
    TYPE(PauseKind.TYPE),
    STAGE(PauseKind.STAGE),
    WORKER(PauseKind.WORKER),
    TASK(null),
    JOB(null);

    /** {@code null} of what has a pause of its own. */
    private final PauseKind pause;

    Kind(PauseKind pause) {
      this.pause = pause;
    }

    static Kind of(String text) {
      try {
        return valueOf(text.toUpperCase(Locale.ROOT));
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException("is not type, stage, worker, task or job: " + text);
      }
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final Argument<Kind> KIND =
      parameter("KIND", "type, stage, worker, task or job")
          .as(Kind.class, (text, times) -> Kind.of(text));
  private static final Argument<String> NAME =
      parameter("NAME", "a type; a stage as lark/sendmsg; the id of a worker, a task or a job");

  private PauseCommand(Terminal terminal, String name) {
    super(terminal, name);
    callsServer();
  }

  /** {@code pause}. */
  public static CommandEntry pause(Terminal terminal) {
    Argument<Instant> until =
        option("--until", "TIME", "when it ends by itself; only of a type, a stage or a worker")
            .time();
    Argument<Boolean> stop =
        flag("--stop", "end the hold of a task that executes; its attempt does not count");
    return new PauseCommand(terminal, "pause")
        .takes(KIND, NAME, OPERATOR, REASON, until, stop)
        .says(
            "Pauses a type, a stage, a worker, a task or a job of a running server: no worker gets"
                + " its tasks until a resume, and those that run go on.")
        .endsWith(TIMES)
        .does(run -> pause(run, run.get(KIND), run.get(until), run.get(stop)));
  }

  /** {@code resume}, which ends what {@code pause} began. */
  public static CommandEntry resume(Terminal terminal) {
    return new PauseCommand(terminal, "resume")
        .takes(KIND, NAME, OPERATOR, REASON)
        .says("Lets a paused type, stage, worker, task or job of a running server go on.")
        .does("It goes on.", PauseCommand::resume);
  }

  /** {@code pauses}, which shows them. */
  public static CommandEntry list(Terminal terminal) {
    return new PauseCommand(terminal, "pauses")
        .takes(JSON)
        .says("Shows which types, stages and workers of a running server are paused.")
        .does(PauseCommand::list);
  }

  private static void pause(Run run, Kind kind, Instant end, boolean stop) {
    if (end != null && kind.pause == null) {
      throw new UsageException("a " + kind + " is paused until it is resumed, without --until");
    }
    if (stop && kind != Kind.TASK) {
      throw new UsageException("--stop is of a task, and not of a " + kind);
    }
    FlowClient flow = run.flow();
    String name = run.get(NAME);
    switch (kind) {
      case TASK -> flow.pauseTask(name, stop, run.operator(), run.reason());
      case JOB -> flow.jobs().pauseJob(name, run.operator(), run.reason());
      default -> flow.pauses().set(kind.pause, name, end, run.operator(), run.reason());
    }
    run.say(end == null ? "Paused." : "Paused until " + run.times().of(end) + ".");
  }

  private static void resume(Run run) {
    Kind kind = run.get(KIND);
    FlowClient flow = run.flow();
    String name = run.get(NAME);
    switch (kind) {
      case TASK -> flow.resumeTask(name, run.operator(), run.reason());
      case JOB -> flow.jobs().resumeJob(name, run.operator(), run.reason());
      default -> flow.pauses().clear(kind.pause, name, run.operator(), run.reason());
    }
  }

  private static void list(Run run) {
    FlowClient flow = run.flow();
    List<Pause> found = new ArrayList<>();
    String cursor = null;
    do {
      PausePage page = flow.pauses().list(null, PAGE, cursor);
      found.addAll(page.pauseList());
      cursor = page.nextCursor();
    } while (cursor != null);
    run.answer(new PausePage(found, null));
    run.sayIf(found.isEmpty(), "Nothing is paused.");
    found.forEach(pause -> run.say(lineOf(pause, run.times())));
  }

  /** Such as {@code stage lark/sendmsg, since …, until …, by ann: maintenance}. */
  private static String lineOf(Pause pause, TimeText times) {
    String line = pause.kind().name().toLowerCase(Locale.ROOT) + " " + pause.name();
    line += pause.pauseTime() > 0 ? ", since " + times.of(pause.pauseTime()) : "";
    line += pause.until() != null ? ", until " + times.of(pause.until()) : "";
    line += pause.operator().isEmpty() ? "" : ", by " + pause.operator();
    return line + (pause.reason().isEmpty() ? "" : ": " + pause.reason());
  }
}
