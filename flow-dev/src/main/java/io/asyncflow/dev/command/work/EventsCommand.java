package io.asyncflow.dev.command.work;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventClient;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.command.option.WholeNumber.FromOne;
import io.asyncflow.dev.environment.ServerOption;
import java.io.PrintStream;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./asyncflow events}: follows what happens at a server somewhere. */
@Command(
    name = "events",
    description =
        "Shows what happens to the tasks, jobs and schedules of a running server, as it happens,"
            + " until Ctrl-C. Types whose \"events\" is 0 tell nothing.")
public final class EventsCommand extends ServerCommand implements Runnable {

  private final PrintStream err;

  @Mixin private ServerOption server;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      split = ",",
      description = "only those of these types")
  private Set<String> types = Set.of();

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      split = ",",
      description = "only ${COMPLETION-CANDIDATES}")
  private Set<EventKind> kinds = Set.of();

  @Option(names = "--user", paramLabel = "USER", description = "only those of this user's tasks")
  private String user;

  @Option(
      names = "--cursor",
      paramLabel = "CURSOR",
      description = "those after it, which may be of the past; what happens from now on, if absent")
  private String cursor;

  @Option(
      names = "--limit",
      paramLabel = "N",
      converter = FromOne.class,
      description = "end after so many events")
  private int limit;

  @Mixin private Output output;

  private volatile String last;
  private volatile boolean isOver;
  private int shown;

  public EventsCommand(
      Map<String, String> environment, PrintStream out, PrintStream err, ZoneId zone) {
    super(environment, out, zone);
    this.err = err;
  }

  @Override
  public void run() {
    EventFilter filter =
        new EventFilter(
            types.stream().map(type -> type.toLowerCase(Locale.ROOT)).collect(Collectors.toSet()),
            kinds,
            user);
    EventClient events = client(server).events();
    // Ends if there is no server, or no such cursor; follow would try again.
    String now = events.list(filter, cursor, 1, Duration.ZERO).cursor();
    last = cursor == null ? now : cursor;
    Runtime.getRuntime().addShutdownHook(new Thread(this::sayHowItGoesOn, "leave"));
    try {
      events.follow(filter, last, this::show, this::keep);
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

  private void show(Event event) {
    if (!output.printed(event, out)) {
      out.println(line(event));
    }
    shown++;
  }

  private void keep(String next) {
    last = next;
    if (shown == limit && limit > 0) {
      Thread.currentThread().interrupt(); // ends follow
    }
  }

  private String line(Event event) {
    String kind = event.kind() == null ? "OTHER" : event.kind().name();
    String details =
        Stream.of(
                subject(event),
                event.taskId() == null ? event.state() : event.taskStage(),
                named("user", event.userId()),
                named("worker", event.workerId()),
                event.errMsg())
            .filter(text -> text != null)
            .map(OneLine::of)
            .collect(Collectors.joining("  "));
    return "%s  %-14s  %s".formatted(times.of(event.time()), kind, details);
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
