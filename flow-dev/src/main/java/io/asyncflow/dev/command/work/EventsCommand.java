package io.asyncflow.dev.command.work;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventClient;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Run;
import io.asyncflow.dev.command.option.Terminal;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code ./asyncflow events}: follows what happens at a server somewhere. */
public final class EventsCommand extends CommandEntry {

  private final PrintStream err;
  private volatile String last;
  private volatile boolean isOver;
  private int shown;

  public EventsCommand(Terminal terminal) {
    super(terminal, "events");
    err = terminal.err();
    says(
        "Shows what happens to the tasks, jobs and schedules of a running server, as it happens,"
            + " until Ctrl-C. Types whose \"events\" is 0 tell nothing.");
    Argument<Set<String>> types =
        option("--type", "TYPE", "only those of these types").set(String.class);
    Argument<Set<EventKind>> kinds =
        option("--kind", "KIND", "only ${COMPLETION-CANDIDATES}").set(EventKind.class);
    Argument<String> user = option("--user", "USER", "only those of this user's tasks");
    Argument<String> cursor =
        option(
            "--cursor",
            "CURSOR",
            "those after it, which may be of the past; what happens from now on, if absent");
    Argument<Integer> limit =
        option("--limit", "N", "end after so many events").number(1, 100_000_000);
    callsServer()
        .takes(types, kinds, user, cursor, limit, JSON)
        .does(
            run -> {
              Set<String> lower =
                  run.get(types).stream()
                      .map(type -> type.toLowerCase(Locale.ROOT))
                      .collect(Collectors.toSet());
              EventFilter filter = new EventFilter(lower, run.get(kinds), run.get(user));
              follow(run, filter, run.get(cursor), run.get(limit));
            });
  }

  private void follow(Run run, EventFilter filter, String cursor, Integer limit) {
    EventClient events = run.flow().events();
    // Ends if there is no server, or no such cursor; follow would try again.
    String now = events.list(filter, cursor, 1, Duration.ZERO).cursor();
    last = cursor == null ? now : cursor;
    Runtime.getRuntime().addShutdownHook(new Thread(this::sayHowItGoesOn, "leave"));
    try {
      events.follow(filter, last, event -> show(run, event), next -> keep(next, limit));
    } catch (InterruptedException e) { // by keep, after the last one that is wanted
      sayHowItGoesOn();
    }
  }

  /** At the end, and on Ctrl-C. */
  private void sayHowItGoesOn() {
    if (!isOver) {
      isOver = true;
      err.println("It goes on with --cursor " + OneLine.of(last));
    }
  }

  private void show(Run run, Event event) {
    run.answer(event);
    run.say(line(run, event));
    shown++;
  }

  private void keep(String next, Integer limit) {
    last = next;
    if (limit != null && shown == limit) {
      Thread.currentThread().interrupt(); // ends follow
    }
  }

  private static String line(Run run, Event event) {
    String kind = event.kind() == null ? "OTHER" : event.kind().name();
    String details =
        Stream.of(
                subject(event),
                event.taskId() == null ? event.state() : event.taskStage(),
                named("user", event.userId()),
                named("worker", event.workerId()),
                event.errMsg())
            .filter(Objects::nonNull)
            .collect(Collectors.joining("  "));
    return "%s  %-14s  %s".formatted(run.times().of(event.time()), kind, details);
  }

  /** A task, a job, a schedule, or a hook, which is named as the stage of its tasks. */
  private static String subject(Event event) {
    if (event.taskId() != null) {
      return event.taskId();
    }
    if (event.jobId() != null) {
      return "job " + event.jobId();
    }
    return event.scheduleId() == null ? event.taskStage() : "schedule " + event.scheduleId();
  }

  private static String named(String name, String value) {
    return value == null ? null : name + " " + value;
  }
}
