package io.asyncflow.rules.field;

import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.schedule.FireTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The fields of the definition of a schedule, and of calls about schedules. */
public final class ScheduleFields {

  private static final int NAME = 128;

  private static final Set<String> FIELDS = FieldSource.namesOf(NewSchedule.class);
  private static final Set<String> TASK_FIELDS = taskFields();
  private static final String UTC = "UTC";
  private static final int CRON = 256;
  private static final int ZONE = 64;

  /** Nothing fires more often. */
  private static final long MIN_PAUSE_MS = 1_000;

  private static final long DAYS_366_MS = Duration.ofDays(366).toMillis();
  private static final long CATCH_UP_MS = Duration.ofDays(7).toMillis();
  private static final int CATCH_UP_LIMIT = 100;
  private static final int MAX_PREVIEW = 100;
  private static final int DEFAULT_PREVIEW = 10;
  private static final int TARGET_BYTES = 8_192;

  private ScheduleFields() {}

  private static Set<String> taskFields() {
    Set<String> names = new HashSet<>(FieldSource.namesOf(NewTask.class, "context"));
    names.remove("traceParent"); // of a call, and a fire is none
    return Set.copyOf(names);
  }

  /**
   * A plan of fire times.
   *
   * @param times {@code null} if it is invalid, or if each fire follows from the end of a run
   */
  public record Plan(
      String cron, ZoneId zone, Long everyMs, Long anchor, Long afterMs, FireTimes times) {}

  /** Reads a complete definition; it is valid only if {@code in} has no invalid field. */
  public static NewSchedule read(FieldSource in) {
    in.refuseUnknown(FIELDS);
    String name = in.text("name").required().name().max(NAME).value();
    Plan plan = plan(in, name, true);
    NewTask task = in.has("taskData") ? task(in.object("taskData")) : null;
    NewJob job = in.has("jobData") ? job(in.object("jobData")) : null;
    if (task == null && job == null) {
      in.refuse("taskData", "is required, or jobData in its place");
    } else if (task != null && job != null) {
      in.refuse("jobData", "must not be given with taskData: a schedule creates one of them");
    }
    Long start = in.number("startTime").epochMs().asLong();
    Long end = in.number("endTime").epochMs().asLong();
    if (start != null && end != null && end <= start) {
      in.refuse("endTime", "must be after startTime");
    }
    Overlap overlap = choice(in, "overlap", Overlap.values(), Overlap.ALLOW);
    if (in.has("afterMs") && in.has("overlap") && overlap != Overlap.ALLOW) {
      in.refuse("overlap", "must not be given with afterMs, which waits for the last run");
    }
    return new NewSchedule(
        name,
        plan.cron(),
        plan.zone().getId(),
        plan.everyMs(),
        plan.anchor(),
        plan.afterMs(),
        task,
        job,
        start,
        end,
        in.number("maxFires").between(1, Long.MAX_VALUE).asLong(),
        overlap,
        choice(in, "catchUp", CatchUp.values(), CatchUp.LATEST),
        orElse(in.number("catchUpMs").between(0, DAYS_366_MS).asLong(), CATCH_UP_MS),
        in.number("catchUpLimit").between(1, 1_000).or(CATCH_UP_LIMIT),
        in.number("jitterMs").between(0, Duration.ofDays(1).toMillis()).or(0),
        in.number("pauseAfterFailures").between(0, Integer.MAX_VALUE).or(0),
        in.number("weight").between(1, 1_000).or(1),
        in.number("revision").between(0, Integer.MAX_VALUE).or(0));
  }

  /**
   * The fire times that are asked for.
   *
   * @param from only later ones, in epoch ms; {@code null} for now
   * @param start as in a schedule
   * @param end as in a schedule
   * @param count the most
   */
  public record Preview(Plan plan, Long from, Long start, Long end, int count) {

    /** The fire times, which are valid only if no field is invalid. */
    public FirePreview at(long now) {
      long after = from == null ? now : from;
      List<Long> found =
          plan.times()
              .after(
                  start == null ? after : Math.max(start - 1, after),
                  end == null ? Long.MAX_VALUE : end,
                  count);
      List<String> local =
          found.stream()
              .map(time -> Instant.ofEpochMilli(time).atZone(plan.zone()))
              .map(DateTimeFormatter.ISO_OFFSET_DATE_TIME::format)
              .toList();
      return new FirePreview(found, local, FirePreview.Kind.valueOf(plan.times().kind().name()));
    }
  }

  /** Reads a preview. */
  public static Preview preview(FieldSource in) {
    Plan plan = plan(in, null, false);
    Long from = in.number("from").epochMs().asLong();
    Long start = in.number("startTime").epochMs().asLong();
    Long end = in.number("endTime").epochMs().asLong();
    Long maxFires = in.number("maxFires").between(0, Long.MAX_VALUE).asLong();
    int count = in.number("count").between(1, MAX_PREVIEW).or(DEFAULT_PREVIEW);
    return new Preview(
        plan, from, start, end, maxFires == null ? count : (int) Math.min(count, maxFires));
  }

  /** Reads the definitions of a list, whose names must differ. */
  public static List<NewSchedule> readAll(FieldSource in) {
    List<NewSchedule> definitions = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (FieldSource item : in.objects("scheduleDataList", 1, TaskLimits.BATCH)) {
      NewSchedule schedule = read(item);
      if (schedule.name() != null && !names.add(schedule.name())) {
        item.refuse("name", "appears twice in the list");
      }
      definitions.add(schedule);
    }
    return definitions;
  }

  /** The version that a changed schedule must have; {@code null} for any. */
  public static Long ifVersion(FieldSource in) {
    return in.number("ifVersion").between(0, Long.MAX_VALUE).asLong();
  }

  /** The schedule that a call names by its number, or by its name. */
  public record Named(Long id, String name) {}

  /** Reads which schedule a call is about. */
  public static Named named(FieldSource in) {
    Long id = in.text("scheduleId").as(PageFields::number, "is not a schedule id");
    String name = in.text("name").name().max(NAME).value();
    if (!in.has("scheduleId") && !in.has("name")) {
      in.refuse("scheduleId", "is required, or name in its place");
    }
    return new Named(id, name);
  }

  /**
   * Which schedules are listed.
   *
   * @param states at least one
   * @param type {@code null} for all
   * @param before only schedules with lower numbers
   */
  public record Listed(Set<ScheduleState> states, TaskType type, int limit, long before) {}

  /** Reads the fields of a list. */
  public static Listed listed(FieldSource in) {
    Set<ScheduleState> states =
        in.text("state")
            .as(
                text -> PageFields.choices(text, name -> parse(name, ScheduleState.values())),
                "must be ACTIVE, PAUSED or ENDED");
    return new Listed(
        states == null || states.isEmpty() ? EnumSet.allOf(ScheduleState.class) : states,
        in.text("taskType").as(TaskType::parse, "is not a valid task type"),
        PageFields.limit(in),
        PageFields.before(in));
  }

  /** The fires of the past that a backfill makes, in epoch ms. */
  public record Backfill(Long from, Long to, int limit) {}

  /** Reads which fires a backfill makes. */
  public static Backfill backfill(FieldSource in) {
    Long from = in.number("from").required().epochMs().asLong();
    Long to = in.number("to").required().epochMs().asLong();
    if (from != null && to != null && to <= from) {
      in.refuse("to", "must be after from");
    }
    return new Backfill(from, to, PageFields.limit(in));
  }

  /**
   * Reads a plan.
   *
   * @param name from which the anchor of an interval follows; {@code null} for 0
   * @param mayFollowRuns whether {@code afterMs} is a plan
   */
  private static Plan plan(FieldSource in, String name, boolean mayFollowRuns) {
    String cron = in.text("cron").asciiOrTabs().max(CRON).value();
    Long everyMs = in.number("everyMs").between(MIN_PAUSE_MS, DAYS_366_MS).asLong();
    Long afterMs =
        mayFollowRuns ? in.number("afterMs").between(MIN_PAUSE_MS, DAYS_366_MS).asLong() : null;
    Long anchor =
        in.number("anchor").epochMsOrOffset(everyMs == null ? DAYS_366_MS : everyMs).asLong();
    ZoneId zone = zone(in);
    List<String> plans =
        mayFollowRuns ? List.of("cron", "everyMs", "afterMs") : List.of("cron", "everyMs");
    List<String> given = plans.stream().filter(in::has).toList();
    if (given.size() != 1) {
      refusePlan(in, plans, given);
      return new Plan(cron, zone, everyMs, anchor, afterMs, null);
    }
    if (mayFollowRuns && cron == null && !in.has("cron") && !zone.getId().equals(UTC)) {
      in.refuse("zone", "belongs to cron");
    }
    if (in.has("anchor") && !in.has("everyMs")) {
      in.refuse("anchor", "belongs to everyMs");
    }
    FireTimes times = null;
    if (cron != null) {
      times = cron(in, cron, zone);
    } else if (everyMs != null) {
      anchor = anchor != null ? anchor : name == null ? 0L : FireTimes.anchorOf(name, everyMs);
      times = FireTimes.every(everyMs, anchor);
    }
    return new Plan(cron, zone, everyMs, anchor, afterMs, times);
  }

  private static void refusePlan(FieldSource in, List<String> plans, List<String> given) {
    if (given.size() > 1) {
      in.refuse(
          given.get(1),
          "must not be given with " + given.get(0) + ": a plan is one of " + join(plans));
    } else if (in.has("afterMs")) {
      in.refuse("afterMs", "has no fire times to preview: a fire follows from the end of a run");
    } else {
      in.refuse("cron", "is required, or in its place " + join(plans.subList(1, plans.size())));
    }
  }

  private static String join(List<String> names) {
    int last = names.size() - 1;
    return last == 0
        ? names.get(0)
        : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
  }

  private static FireTimes cron(FieldSource in, String cron, ZoneId zone) {
    try {
      return FireTimes.cron(cron, zone);
    } catch (IllegalArgumentException e) {
      in.refuse("cron", withoutName(e));
      return null;
    }
  }

  private static ZoneId zone(FieldSource in) {
    String zone = in.text("zone").ascii().max(ZONE).or(UTC);
    try {
      return FireTimes.zone(zone);
    } catch (IllegalArgumentException e) {
      in.refuse("zone", withoutName(e));
      return ZoneId.of(UTC);
    }
  }

  /** The message without the name of the field that it begins with. */
  private static String withoutName(IllegalArgumentException e) {
    return e.getMessage().replaceFirst("^(cron|zone):? ", "");
  }

  private static NewTask task(FieldSource in) {
    in.refuseUnknown(TASK_FIELDS);
    refuseOwn(in, "a key of its own", "idempotencyKey", "onDuplicate", "keyMs", "keyUntilDone");
    refuseOwn(in, "its own", "delayMs", "runAt");
    NewTask task = TaskFields.taskWithoutKey(in);
    refuseIfLarge(in, "taskContext", task);
    return task;
  }

  private static NewJob job(FieldSource in) {
    refuseOwn(in, "a key of its own", "idempotencyKey");
    NewJob job = JobFields.readStrictly(in);
    refuseIfLarge(in, job.hasSplit() ? "jobInput" : job.team() != null ? "team" : "children", job);
    return job;
  }

  /** What a fire decides by itself. */
  private static void refuseOwn(FieldSource in, String what, String... names) {
    for (String name : names) {
      if (in.has(name)) {
        in.refuse(name, "must not be given: each fire of the schedule has " + what);
      }
    }
  }

  private static void refuseIfLarge(FieldSource in, String largest, Record target) {
    int bytes = SentFields.jsonBytes(target);
    if (bytes > TARGET_BYTES) {
      in.refuse(
          largest,
          "is too large: the whole target is "
              + bytes
              + " bytes of JSON, and a schedule stores at most "
              + TARGET_BYTES);
    }
  }

  private static <E extends Enum<E>> E choice(FieldSource in, String name, E[] values, E absent) {
    if (!in.has(name)) {
      return absent;
    }
    String names = String.join(", ", Arrays.stream(values).map(Enum::name).toList());
    E chosen = in.text(name).as(text -> parse(text, values), "must be one of " + names);
    return chosen == null ? absent : chosen;
  }

  /** The value that a text names without regard to case. */
  static <E extends Enum<E>> Optional<E> parse(String text, E[] values) {
    return TextField.named(values, text.toUpperCase(Locale.ROOT));
  }

  private static long orElse(Long value, long absent) {
    return value == null ? absent : value;
  }
}
