package io.asyncflow.dev.command.work;

import static io.asyncflow.dev.command.option.Argument.CURSOR;
import static io.asyncflow.dev.command.option.Argument.JSON;
import static io.asyncflow.dev.command.option.Argument.LIMIT;
import static io.asyncflow.dev.command.option.Argument.OPERATOR;
import static io.asyncflow.dev.command.option.Argument.REASON;
import static io.asyncflow.dev.command.option.Argument.flag;
import static io.asyncflow.dev.command.option.Argument.option;
import static io.asyncflow.dev.command.option.Argument.parameter;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
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
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Run;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.host.TextFile;
import io.asyncflow.dev.text.ScheduleText;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/** {@code ./asyncflow schedule}: shows and steers the schedules of a server somewhere. */
public final class ScheduleCommand extends CommandEntry {

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

  private static final Argument<String> NAME =
      parameter("NAME", "the name of the schedule, or its id");
  private static final Argument<ScheduleState> STATE =
      option("--state", "STATE", "only those that are ${COMPLETION-CANDIDATES}")
          .as(ScheduleState.class);
  private static final Argument<String> TYPE =
      option("--type", "TYPE", "only those that create tasks or jobs of this type");
  private static final Argument<Integer> FIRES =
      option("--fires", "N", "how many (${DEFAULT-VALUE})").number(1, 1_000).byDefault("10");
  private static final Argument<String> CRON =
      option("--cron", "EXPRESSION", "a plan in its place");
  private static final Argument<String> ZONE =
      option("--zone", "ZONE", "the time zone of --cron, as Europe/Berlin; UTC if it is not given");
  private static final Argument<Duration> EVERY =
      option("--every", "DURATION", "a plan in its place").span("a duration such as 30s or 1h30m");
  private static final Argument<Instant> AFTER =
      option("--from", "TIME", "fires after this; now").time();
  private static final Argument<Integer> COUNT =
      option("--count", "N", "how many (${DEFAULT-VALUE})").number(1, 100).byDefault("10");
  private static final Argument<Instant> UNTIL =
      option("--until", "TIME", "when it resumes by itself; never if it is not given").time();
  private static final Argument<Boolean> CATCH_UP =
      flag(
          "--catch-up",
          "make the fires of the pause too, as far as the schedule's catch-up policy goes");
  private static final Argument<Path> FILE = parameter("FILE", "the file").as(Path.class);
  private static final Argument<String> KEY =
      option("--key", "KEY", "the same key creates one run, however often it is said");
  private static final Argument<Instant> FROM =
      option("--from", "TIME", "the first fire time").time().required();
  private static final Argument<Instant> TO =
      option("--to", "TIME", "the end of the fire times, which is not one of them")
          .time()
          .required();
  private static final Argument<Integer> MOST =
      option("--limit", "N", "the most fires that are made (${DEFAULT-VALUE})")
          .number(1, 100_000_000)
          .byDefault("1000");

  public ScheduleCommand(Terminal terminal) {
    super(terminal, "schedule");
    says("Shows and steers the schedules of a running server.")
        .endsWith(TIMES.replace("+01:00.", "+01:00; a duration 30s, 1h30m or 2d."));
    addReads();
    addActs();
  }

  private void addReads() {
    command("list", STATE, TYPE, LIMIT, CURSOR, JSON)
        .says("Shows schedules, newest first.")
        .does(ScheduleCommand::list);
    command("show", NAME, FIRES, JSON)
        .says("Shows a schedule and its last fires.")
        .does(ScheduleCommand::show);
    command("preview", NAME.optional(), CRON, ZONE, EVERY, AFTER, COUNT, JSON)
        .says("Shows when a schedule fires next, or when a plan would; the server stores nothing.")
        .does(ScheduleCommand::preview);
  }

  private void addActs() {
    command("pause", NAME, UNTIL, OPERATOR, REASON)
        .says(
            "Stops the fires of a schedule. Tasks of later fires that exist already are cancelled,"
                + " unless a worker holds them.")
        .does(ScheduleCommand::pause);
    command("resume", NAME, CATCH_UP, OPERATOR, REASON)
        .says("Lets a paused schedule fire again.")
        .does(ScheduleCommand::resume);
    act("delete", NAME, "Deleted.", ScheduleCommand::delete)
        .says(
            "Deletes a schedule. Tasks of later fires that exist already are cancelled, unless a"
                + " worker holds them; its history stays.");
    command("save", FILE, JSON)
        .says(
            "Creates or changes the schedule that a file defines: the JSON object that is scheduleData"
                + " in /api/schedule/save.")
        .does(ScheduleCommand::save);
    command("trigger", NAME, KEY, OPERATOR, REASON, JSON)
        .says("Creates the task or the job of a schedule now, beside its plan, and prints its id.")
        .does(ScheduleCommand::trigger);
    command("backfill", NAME, FROM, TO, MOST, OPERATOR, REASON, JSON)
        .says("Makes the fires of the past that have no task or job. A repeat makes none again.")
        .does(ScheduleCommand::backfill);
  }

  /** A schedule with the members of its history beside its own. */
  record Shown(@JsonUnwrapped Schedule schedule, @JsonUnwrapped FirePage fires) {}

  private static void list(Run run) {
    Set<ScheduleState> states = run.get(STATE) == null ? Set.of() : Set.of(run.get(STATE));
    ScheduleListRequest request =
        new ScheduleListRequest(states, run.get(TYPE), run.get(LIMIT), run.get(CURSOR));
    SchedulePage found = run.flow().schedules().list(request);
    run.table(
        found,
        found.scheduleList(),
        ScheduleText.TABLE,
        "There are no such schedules.",
        found.nextCursor());
  }

  private static void show(Run run) {
    ScheduleClient schedules = run.flow().schedules();
    Schedule schedule = find(schedules, run.get(NAME));
    FirePage page = schedules.fires(schedule.scheduleId(), run.get(FIRES), null);
    run.answer(new Shown(schedule, page));
    run.say(ScheduleText.SHEET.sheet(schedule, run.times()));
    List<String> history = ScheduleText.history(page, run.times());
    if (!history.isEmpty()) {
      run.say("");
      run.say(history);
    }
  }

  private static void preview(Run run) {
    String name = run.get(NAME);
    if (Stream.of(NAME, CRON, EVERY).map(run::get).filter(Objects::nonNull).count() != 1) {
      throw new UsageException("preview needs one of NAME, --cron and --every.");
    }
    if (run.get(ZONE) != null && run.get(CRON) == null) {
      throw new UsageException("--zone belongs to --cron.");
    }
    ScheduleClient schedules = run.flow().schedules();
    Schedule schedule = name == null ? null : find(schedules, name);
    FirePreviewRequest request = schedule == null ? planOf(run) : planOf(schedule);
    if (run.get(AFTER) != null) {
      request = request.from(run.get(AFTER));
    }
    FirePreview preview = run.answer(schedules.preview(request.count(run.get(COUNT))));
    if (schedule != null) {
      sayState(run, schedule);
    }
    if (preview.times().isEmpty()) {
      run.say("It does not fire.");
      return;
    }
    run.say(preview.localTimes());
    run.say(
        switch (preview.kind()) {
          case FIXED -> "Each local time fires once, also when the clocks change.";
          case INTERVAL -> "It fires by real time, also when the clocks change.";
        });
  }

  private static void sayState(Run run, Schedule schedule) {
    Long until = schedule.pauseUntil();
    switch (schedule.state()) {
      case PAUSED ->
          run.say(
              until == null
                  ? "It is paused, and fires at these times only if it is resumed."
                  : "It is paused until " + run.times().of(until) + ".");
      case ENDED -> run.say("It has ended.");
      case ACTIVE -> {
        // Its fires say so.
      }
    }
  }

  private static FirePreviewRequest planOf(Run run) {
    Long everyMs = run.get(EVERY) == null ? null : (Long) run.get(EVERY).toMillis();
    return new FirePreviewRequest(
        run.get(CRON), run.get(ZONE), everyMs, null, null, null, null, null, null);
  }

  private static FirePreviewRequest planOf(Schedule schedule) {
    NewSchedule definition = schedule.definition();
    if (definition.afterMs() != null) {
      String plan = ScheduleText.plan(definition);
      throw new DevException("It fires " + plan + ", so its fire times are not known before.");
    }
    return FirePreviewRequest.of(schedule);
  }

  private static void pause(Run run) {
    Instant end = run.get(UNTIL);
    ScheduleClient schedules = run.flow().schedules();
    String id = find(schedules, run.get(NAME)).scheduleId();
    schedules.pause(id, end, run.operator(), run.reason());
    if (schedules.get(id).state() == ScheduleState.ENDED) {
      run.say("It has ended, so there is nothing to pause.");
    } else {
      run.say(end == null ? "Paused." : "Paused until " + run.times().of(end) + ".");
    }
  }

  private static void resume(Run run) {
    ScheduleClient schedules = run.flow().schedules();
    String id = find(schedules, run.get(NAME)).scheduleId();
    schedules.resume(id, run.get(CATCH_UP), run.operator(), run.reason());
    Schedule schedule = schedules.get(id);
    if (schedule.state() == ScheduleState.ENDED) {
      run.say("It has ended: no fire is left.");
    } else if (schedule.nextFireTime() == null) {
      run.say("Its next fire follows from the end of its last run.");
    } else {
      run.say("Its next fire is at " + run.times().of(schedule.nextFireTime()) + ".");
    }
  }

  private static void delete(FlowClient flow, String name, String operator, String reason) {
    String id = find(flow.schedules(), name).scheduleId();
    flow.schedules().delete(id, operator, reason);
  }

  private static void save(Run run) {
    SavedSchedule saved = run.answer(run.flow().schedules().save(read(run.get(FILE))));
    Long next = saved.nextFireTime();
    run.say(
        saved.outcome()
            + (next == null ? "." : "; its next fire is at " + run.times().of(next) + "."));
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

  private static void trigger(Run run) {
    ScheduleClient schedules = run.flow().schedules();
    String id = find(schedules, run.get(NAME)).scheduleId();
    TriggeredRun made =
        run.answer(schedules.trigger(id, run.get(KEY), run.operator(), run.reason()));
    run.say(made.jobId() == null ? made.taskId() : "job " + made.jobId());
  }

  private static void backfill(Run run) {
    Instant next = run.get(FROM);
    int limit = run.get(MOST);
    ScheduleClient schedules = run.flow().schedules();
    String id = find(schedules, run.get(NAME)).scheduleId();
    int made = 0;
    while (next != null && made < limit) {
      int most = Math.min(limit - made, MOST_AT_ONCE);
      Backfilled page =
          schedules.backfill(id, next, run.get(TO), most, run.operator(), run.reason());
      made += page.made();
      next = page.nextFrom() == null ? null : Instant.ofEpochMilli(page.nextFrom());
    }
    run.answer(new Backfilled(made, next == null ? null : next.toEpochMilli()));
    run.say("Fires made: " + made + ".");
    run.sayIf(next != null, "There are more from " + run.times().of(next) + " on.");
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
