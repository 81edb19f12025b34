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

  public ScheduleCommand(Terminal terminal) {
    super(terminal, "schedule");
    says("Shows and steers the schedules of a running server.")
        .endsWith(TIMES.replace("+01:00.", "+01:00; a duration 30s, 1h30m or 2d."));
    addReads();
    addPreview();
    addActs();
    addRuns();
  }

  private void addReads() {
    Argument<ScheduleState> state =
        option("--state", "STATE", "only those that are ${COMPLETION-CANDIDATES}")
            .as(ScheduleState.class);
    Argument<String> type =
        option("--type", "TYPE", "only those that create tasks or jobs of this type");
    command("list", state, type, LIMIT, CURSOR, JSON)
        .says("Shows schedules, newest first.")
        .does(run -> list(run, run.get(state), run.get(type)));
    Argument<Integer> fires =
        option("--fires", "N", "how many (${DEFAULT-VALUE})").number(1, 1_000).byDefault("10");
    command("show", NAME, fires, JSON)
        .says("Shows a schedule and its last fires.")
        .does(run -> show(run, run.get(fires)));
  }

  private void addPreview() {
    Argument<String> name = NAME.optional();
    Argument<String> cron = option("--cron", "EXPRESSION", "a plan in its place");
    Argument<String> zone =
        option(
            "--zone", "ZONE", "the time zone of --cron, as Europe/Berlin; UTC if it is not given");
    Argument<Duration> every =
        option("--every", "DURATION", "a plan in its place")
            .span("a duration such as 30s or 1h30m");
    Argument<Instant> from = option("--from", "TIME", "fires after this; now").time();
    Argument<Integer> count =
        option("--count", "N", "how many (${DEFAULT-VALUE})").number(1, 100).byDefault("10");
    command("preview", name, cron, zone, every, from, count, JSON)
        .says("Shows when a schedule fires next, or when a plan would; the server stores nothing.")
        .does(
            run -> {
              if (Stream.of(name, cron, every).map(run::get).filter(Objects::nonNull).count()
                  != 1) {
                throw new UsageException("preview needs one of NAME, --cron and --every.");
              }
              if (run.get(zone) != null && run.get(cron) == null) {
                throw new UsageException("--zone belongs to --cron.");
              }
              Schedule schedule =
                  run.get(name) == null ? null : find(run.flow().schedules(), run.get(name));
              FirePreviewRequest request =
                  schedule == null
                      ? planOf(run.get(cron), run.get(zone), run.get(every))
                      : planOf(schedule);
              request = run.get(from) == null ? request : request.from(run.get(from));
              preview(run, schedule, request.count(run.get(count)));
            });
  }

  private void addActs() {
    Argument<Instant> until =
        option("--until", "TIME", "when it resumes by itself; never if it is not given").time();
    command("pause", NAME, until, OPERATOR, REASON)
        .says(
            "Stops the fires of a schedule. Tasks of later fires that exist already are cancelled,"
                + " unless a worker holds them.")
        .does(run -> pause(run, run.get(until)));
    Argument<Boolean> catchUp =
        flag(
            "--catch-up",
            "make the fires of the pause too, as far as the schedule's catch-up policy goes");
    command("resume", NAME, catchUp, OPERATOR, REASON)
        .says("Lets a paused schedule fire again.")
        .does(run -> resume(run, run.get(catchUp)));
    command("delete", NAME, OPERATOR, REASON)
        .says(
            "Deletes a schedule. Tasks of later fires that exist already are cancelled, unless a"
                + " worker holds them; its history stays.")
        .does(
            "Deleted.",
            run -> {
              ScheduleClient schedules = run.flow().schedules();
              schedules.delete(idIn(schedules, run), run.operator(), run.reason());
            });
  }

  private void addRuns() {
    Argument<Path> file = parameter("FILE", "the file").as(Path.class);
    command("save", file, JSON)
        .says(
            "Creates or changes the schedule that a file defines: the JSON object that is"
                + " scheduleData in /api/schedule/save.")
        .does(run -> save(run, read(run.get(file))));
    Argument<String> key =
        option("--key", "KEY", "the same key creates one run, however often it is said");
    command("trigger", NAME, key, OPERATOR, REASON, JSON)
        .says("Creates the task or the job of a schedule now, beside its plan, and prints its id.")
        .does(run -> trigger(run, run.get(key)));
    Argument<Instant> from = option("--from", "TIME", "the first fire time").time().required();
    Argument<Instant> to =
        option("--to", "TIME", "the end of the fire times, which is not one of them")
            .time()
            .required();
    Argument<Integer> most =
        option("--limit", "N", "the most fires that are made (${DEFAULT-VALUE})")
            .number(1, 100_000_000)
            .byDefault("1000");
    command("backfill", NAME, from, to, most, OPERATOR, REASON, JSON)
        .says("Makes the fires of the past that have no task or job. A repeat makes none again.")
        .does(run -> backfill(run, run.get(from), run.get(to), run.get(most)));
  }

  /** A schedule with the members of its history beside its own. */
  record Shown(@JsonUnwrapped Schedule schedule, @JsonUnwrapped FirePage fires) {}

  private static void list(Run run, ScheduleState state, String type) {
    Set<ScheduleState> states = state == null ? Set.of() : Set.of(state);
    ScheduleListRequest request =
        new ScheduleListRequest(states, type, run.get(LIMIT), run.get(CURSOR));
    SchedulePage found = run.flow().schedules().list(request);
    String none = "There are no such schedules.";
    run.table(found, found.scheduleList(), ScheduleText.TABLE, none, found.nextCursor());
  }

  private static void show(Run run, int fires) {
    ScheduleClient schedules = run.flow().schedules();
    Schedule schedule = find(schedules, run.get(NAME));
    FirePage page = schedules.fires(schedule.scheduleId(), fires, null);
    run.answer(new Shown(schedule, page));
    run.say(ScheduleText.SHEET.sheet(schedule, run.times()));
    List<String> history = ScheduleText.history(page, run.times());
    run.sayIf(!history.isEmpty(), "");
    run.say(history);
  }

  private static void preview(Run run, Schedule schedule, FirePreviewRequest request) {
    FirePreview preview = run.answer(run.flow().schedules().preview(request));
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

  private static FirePreviewRequest planOf(String cron, String zone, Duration every) {
    Long everyMs = every == null ? null : (Long) every.toMillis();
    return new FirePreviewRequest(cron, zone, everyMs, null, null, null, null, null, null);
  }

  private static FirePreviewRequest planOf(Schedule schedule) {
    NewSchedule definition = schedule.definition();
    if (definition.afterMs() != null) {
      String plan = ScheduleText.plan(definition);
      throw new DevException("It fires " + plan + ", so its fire times are not known before.");
    }
    return FirePreviewRequest.of(schedule);
  }

  private static void pause(Run run, Instant until) {
    ScheduleClient schedules = run.flow().schedules();
    String id = idIn(schedules, run);
    schedules.pause(id, until, run.operator(), run.reason());
    if (schedules.get(id).state() == ScheduleState.ENDED) {
      run.say("It has ended, so there is nothing to pause.");
    } else {
      run.say(until == null ? "Paused." : "Paused until " + run.times().of(until) + ".");
    }
  }

  private static void resume(Run run, boolean catchUp) {
    ScheduleClient schedules = run.flow().schedules();
    String id = idIn(schedules, run);
    schedules.resume(id, catchUp, run.operator(), run.reason());
    Schedule schedule = schedules.get(id);
    if (schedule.state() == ScheduleState.ENDED) {
      run.say("It has ended: no fire is left.");
    } else if (schedule.nextFireTime() == null) {
      run.say("Its next fire follows from the end of its last run.");
    } else {
      run.say("Its next fire is at " + run.times().of(schedule.nextFireTime()) + ".");
    }
  }

  private static void save(Run run, NewSchedule schedule) {
    SavedSchedule saved = run.answer(run.flow().schedules().save(schedule));
    Long next = saved.nextFireTime();
    String more = next == null ? "." : "; its next fire is at " + run.times().of(next) + ".";
    run.say(saved.outcome() + more);
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

  private static void trigger(Run run, String key) {
    ScheduleClient schedules = run.flow().schedules();
    String id = idIn(schedules, run);
    TriggeredRun made = run.answer(schedules.trigger(id, key, run.operator(), run.reason()));
    run.say(made.jobId() == null ? made.taskId() : "job " + made.jobId());
  }

  private static void backfill(Run run, Instant from, Instant to, int limit) {
    ScheduleClient schedules = run.flow().schedules();
    String id = idIn(schedules, run);
    Instant next = from;
    int made = 0;
    while (next != null && made < limit) {
      int most = Math.min(limit - made, MOST_AT_ONCE);
      Backfilled page = schedules.backfill(id, next, to, most, run.operator(), run.reason());
      made += page.made();
      next = page.nextFrom() == null ? null : Instant.ofEpochMilli(page.nextFrom());
    }
    run.answer(new Backfilled(made, next == null ? null : next.toEpochMilli()));
    run.say("Fires made: " + made + ".");
    run.sayIf(next != null, "There are more from " + run.times().of(next) + " on.");
  }

  private static String idIn(ScheduleClient schedules, Run run) {
    return find(schedules, run.get(NAME)).scheduleId();
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
