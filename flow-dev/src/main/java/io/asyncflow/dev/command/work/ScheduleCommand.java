package io.asyncflow.dev.command.work;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.OneLine;
import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.FirePreviewRequest;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleListRequest;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.ActOptions;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.PageOptions;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.command.option.WholeNumber.FromOne;
import io.asyncflow.dev.command.option.WholeNumber.UpTo100;
import io.asyncflow.dev.command.option.WholeNumber.UpTo1000;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.host.TextFile;
import io.asyncflow.dev.text.FireText;
import io.asyncflow.dev.text.ScheduleText;
import io.asyncflow.dev.text.TimeText;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/** {@code ./asyncflow schedule}: shows and steers the schedules of a server somewhere. */
@Command(
    name = "schedule",
    synopsisSubcommandLabel = "COMMAND",
    description = "Shows and steers the schedules of a running server.",
    footer = {
      "A time is written 2026-11-23T03:00, in the time zone of this machine, or"
          + " 2026-11-23T03:00+01:00; a duration 30s, 1h30m or 2d.",
      ServerCommand.KEY
    })
public final class ScheduleCommand extends ServerCommand {

  /** The most fires of one call. */
  private static final int MOST_AT_ONCE = 1_000;

  /** What Jackson says of a place in a text that it does not show. */
  private static final Pattern START_MARKER =
      Pattern.compile(" ?\\(start marker at \\[Source[^]]*]\\)");

  /** What it does not know it refuses, as the server does. */
  private static final ObjectReader DEFINITION =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build()
          .readerFor(NewSchedule.class);

  private static final String NAME = "the name of the schedule, or its id";

  public ScheduleCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    super(environment, out, zone);
  }

  /** A schedule with the members of its history beside its own. */
  record Shown(@JsonUnwrapped Schedule schedule, @JsonUnwrapped FirePage fires) {}

  @Command(name = "list", description = "Shows schedules, newest first.")
  void list(
      @Mixin ServerOption server,
      @Option(
              names = "--state",
              paramLabel = "STATE",
              description = "only those that are ${COMPLETION-CANDIDATES}")
          ScheduleState state,
      @Option(
              names = "--type",
              paramLabel = "TYPE",
              description = "only those that create tasks or jobs of this type")
          String type,
      @Mixin PageOptions page,
      @Mixin Output output) {
    Set<ScheduleState> states = state == null ? Set.of() : Set.of(state);
    SchedulePage found =
        schedules(server).list(new ScheduleListRequest(states, type, page.limit(), page.cursor()));
    print(
        output,
        found,
        found.scheduleList(),
        ScheduleText.table(found.scheduleList(), times),
        "There are no such schedules.",
        found.nextCursor());
  }

  @Command(name = "show", description = "Shows a schedule and its last fires.")
  void show(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(
              names = "--fires",
              paramLabel = "N",
              defaultValue = "10",
              converter = UpTo1000.class,
              description = "how many (${DEFAULT-VALUE})")
          int fires,
      @Mixin Output output) {
    ScheduleClient schedules = schedules(server);
    Schedule schedule = find(schedules, name);
    FirePage page = schedules.fires(schedule.scheduleId(), fires, null);
    if (output.printed(new Shown(schedule, page), out)) {
      return;
    }
    ScheduleText.sheet(schedule, times).forEach(out::println);
    List<String> history = FireText.table(page, times);
    if (!history.isEmpty()) {
      out.println();
      history.forEach(out::println);
    }
  }

  @Command(
      name = "preview",
      description =
          "Shows when a schedule fires next, or when a plan would; the server stores nothing.")
  void preview(
      @Mixin ServerOption server,
      @Parameters(arity = "0..1", paramLabel = "NAME", description = NAME) String name,
      @Option(names = "--cron", paramLabel = "EXPRESSION", description = "a plan in its place")
          String cron,
      @Option(
              names = "--zone",
              paramLabel = "ZONE",
              description = "the time zone of --cron, as Europe/Berlin; UTC if it is not given")
          String zone,
      @Option(names = "--every", paramLabel = "DURATION", description = "a plan in its place")
          String every,
      @Option(names = "--from", paramLabel = "TIME", description = "fires after this; now")
          String from,
      @Option(
              names = "--count",
              paramLabel = "N",
              defaultValue = "10",
              converter = UpTo100.class,
              description = "how many (${DEFAULT-VALUE})")
          int count,
      @Mixin Output output) {
    if (Stream.of(name, cron, every).filter(plan -> plan != null).limit(2).count() != 1) {
      throw new UsageException("preview needs one of NAME, --cron and --every.");
    }
    if (zone != null && cron == null) {
      throw new UsageException("--zone belongs to --cron.");
    }
    Schedule schedule = name == null ? null : find(schedules(server), name);
    FirePreviewRequest request =
        schedule == null
            ? new FirePreviewRequest(cron, zone, everyMs(every), null, null, null, null, null, null)
            : planOf(schedule);
    if (from != null) {
      request = request.from(time("--from", from));
    }
    FirePreview preview = schedules(server).preview(request.count(count));
    if (output.printed(preview, out)) {
      return;
    }
    if (schedule != null) {
      tellState(schedule);
    }
    if (preview.times().isEmpty()) {
      out.println("It does not fire.");
      return;
    }
    preview.localTimes().forEach(time -> out.println(OneLine.of(time)));
    out.println(
        switch (preview.kind()) {
          case FIXED -> "Each local time fires once, also when the clocks change.";
          case INTERVAL -> "It fires by real time, also when the clocks change.";
        });
  }

  private void tellState(Schedule schedule) {
    switch (schedule.state()) {
      case PAUSED -> {
        Long until = schedule.pauseUntil();
        out.println(
            until == null
                ? "It is paused, and fires at these times only if it is resumed."
                : "It is paused until " + times.of(until) + ".");
      }
      case ENDED -> out.println("It has ended.");
      case ACTIVE -> {
        // Its fires say so.
      }
    }
  }

  private static FirePreviewRequest planOf(Schedule schedule) {
    NewSchedule definition = schedule.definition();
    if (definition.afterMs() != null) {
      throw new DevException(
          "It fires "
              + ScheduleText.plan(definition)
              + ", so its fire times are not known before.");
    }
    return FirePreviewRequest.of(schedule);
  }

  private static Long everyMs(String every) {
    try {
      return every == null ? null : TimeText.parseDuration(every).toMillis();
    } catch (DateTimeException e) {
      throw new UsageException("--every wants a duration such as 30s or 1h30m, not " + every + ".");
    }
  }

  @Command(
      name = "pause",
      description =
          "Stops the fires of a schedule. Tasks of later fires that exist already are cancelled,"
              + " unless a worker holds them.")
  void pause(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(
              names = "--until",
              paramLabel = "TIME",
              description = "when it resumes by itself; never if it is not given")
          String until,
      @Mixin ActOptions act) {
    Instant end = until == null ? null : time("--until", until);
    ScheduleClient schedules = schedules(server);
    String id = find(schedules, name).scheduleId();
    schedules.pause(id, end, act.operator(), act.reason());
    if (schedules.get(id).state() == ScheduleState.ENDED) {
      out.println("It has ended, so there is nothing to pause.");
      return;
    }
    Long shown = end == null ? null : end.toEpochMilli();
    out.println(end == null ? "Paused." : "Paused until " + times.of(shown) + ".");
  }

  @Command(name = "resume", description = "Lets a paused schedule fire again.")
  void resume(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(
              names = "--catch-up",
              description =
                  "make the fires of the pause too, as far as the schedule's catch-up policy goes")
          boolean catchUp,
      @Mixin ActOptions act) {
    ScheduleClient schedules = schedules(server);
    String id = find(schedules, name).scheduleId();
    schedules.resume(id, catchUp, act.operator(), act.reason());
    Schedule schedule = schedules.get(id);
    if (schedule.state() == ScheduleState.ENDED) {
      out.println("It has ended: no fire is left.");
    } else if (schedule.nextFireTime() == null) {
      out.println("Its next fire follows from the end of its last run.");
    } else {
      out.println("Its next fire is at " + times.of(schedule.nextFireTime()) + ".");
    }
  }

  @Command(
      name = "delete",
      description =
          "Deletes a schedule. Tasks of later fires that exist already are cancelled, unless a"
              + " worker holds them; its history stays.")
  void delete(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin ActOptions act) {
    ScheduleClient schedules = schedules(server);
    schedules.delete(find(schedules, name).scheduleId(), act.operator(), act.reason());
    out.println("Deleted.");
  }

  @Command(
      name = "save",
      description =
          "Creates or changes the schedule that a file defines: the JSON object that is scheduleData"
              + " in /api/schedule/save.")
  void save(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "FILE", description = "the file") Path file,
      @Mixin Output output) {
    SavedSchedule saved = schedules(server).save(read(file));
    if (output.printed(saved, out)) {
      return;
    }
    Long next = saved.nextFireTime();
    out.println(
        saved.outcome() + (next == null ? "." : "; its next fire is at " + times.of(next) + "."));
  }

  private static NewSchedule read(Path file) {
    String text = TextFile.read(file);
    try {
      return DEFINITION.readValue(text);
    } catch (JacksonException e) {
      TokenStreamLocation at = e.getLocation();
      String line = at == null || at.getLineNr() < 1 ? "" : ", in line " + at.getLineNr();
      String why = START_MARKER.matcher(e.getOriginalMessage()).replaceAll("");
      throw new DevException(file + " defines no schedule" + line + ": " + OneLine.of(why));
    }
  }

  @Command(
      name = "trigger",
      description =
          "Creates the task or the job of a schedule now, beside its plan, and prints its id.")
  void trigger(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(
              names = "--key",
              paramLabel = "KEY",
              description = "the same key creates one run, however often it is said")
          String key,
      @Mixin ActOptions act,
      @Mixin Output output) {
    ScheduleClient schedules = schedules(server);
    TriggeredRun run =
        schedules.trigger(find(schedules, name).scheduleId(), key, act.operator(), act.reason());
    if (!output.printed(run, out)) {
      out.println(OneLine.of(run.jobId() == null ? run.taskId() : "job " + run.jobId()));
    }
  }

  @Command(
      name = "backfill",
      description =
          "Makes the fires of the past that have no task or job. A repeat makes none again.")
  void backfill(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(
              names = "--from",
              paramLabel = "TIME",
              required = true,
              description = "the first fire time")
          String from,
      @Option(
              names = "--to",
              paramLabel = "TIME",
              required = true,
              description = "the end of the fire times, which is not one of them")
          String to,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "1000",
              converter = FromOne.class,
              description = "the most fires that are made (${DEFAULT-VALUE})")
          int limit,
      @Mixin ActOptions act,
      @Mixin Output output) {
    Instant next = time("--from", from);
    Instant end = time("--to", to);
    ScheduleClient schedules = schedules(server);
    String id = find(schedules, name).scheduleId();
    int made = 0;
    while (next != null && made < limit) {
      Backfilled page =
          schedules.backfill(
              id, next, end, Math.min(limit - made, MOST_AT_ONCE), act.operator(), act.reason());
      made += page.made();
      next = page.nextFrom() == null ? null : Instant.ofEpochMilli(page.nextFrom());
    }
    if (output.printed(new Backfilled(made, next == null ? null : next.toEpochMilli()), out)) {
      return;
    }
    out.println("Fires made: " + made + ".");
    if (next != null) {
      out.println("There are more from " + times.of(next.toEpochMilli()) + " on.");
    }
  }

  private Instant time(String option, String text) {
    try {
      return times.parse(text);
    } catch (DateTimeException e) {
      throw new UsageException(
          option + " wants a time such as 2026-11-23T03:00, not " + text + ".");
    }
  }

  private ScheduleClient schedules(ServerOption server) {
    return client(server).schedules();
  }

  /** By its name, or by its id if no schedule has this name. */
  private static Schedule find(ScheduleClient schedules, String nameOrId) {
    try {
      return schedules.find(nameOrId);
    } catch (FlowException e) {
      if (e.errorCode() != ErrorCode.NO_SUCH_SCHEDULE || !nameOrId.matches("\\d{1,19}")) {
        throw e;
      }
      return schedules.get(nameOrId);
    }
  }
}
