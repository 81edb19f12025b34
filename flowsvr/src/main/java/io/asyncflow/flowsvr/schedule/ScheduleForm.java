package io.asyncflow.flowsvr.schedule;

import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.flowsvr.create.NewTaskForm;
import io.asyncflow.flowsvr.job.NewJobForm;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.schedule.FireTimes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;

/** Reads the definition of a schedule, and the plan of a preview. */
final class ScheduleForm {

  static final int NAME = 128;

  private static final Set<String> FIELDS =
      Set.of(
          "name",
          "cron",
          "zone",
          "everyMs",
          "anchor",
          "afterMs",
          "taskData",
          "jobData",
          "startTime",
          "endTime",
          "maxFires",
          "overlap",
          "catchUp",
          "catchUpMs",
          "catchUpLimit",
          "jitterMs",
          "pauseAfterFailures",
          "weight",
          "revision");
  private static final Set<String> TASK_FIELDS =
      Set.of(
          "userId",
          "taskType",
          "taskStage",
          "scheduleLog",
          "taskContext",
          "priority",
          "delayMs",
          "runAt",
          "maxRetryNum",
          "maxRetryInterval",
          "maxUnexpectedRetries",
          "idempotencyKey",
          "onDuplicate",
          "keyMs",
          "keyUntilDone",
          "workerIds",
          "context"); // refused with its right name
  private static final String UTC = "UTC";
  private static final int CRON = 256;
  private static final int ZONE = 64;

  /** Nothing fires more often. */
  private static final long MIN_PAUSE_MS = 1_000;

  private static final long DAYS_366_MS = Duration.ofDays(366).toMillis();
  private static final long CATCH_UP_MS = Duration.ofDays(7).toMillis();
  private static final int CATCH_UP_LIMIT = 100;
  private static final int TARGET_BYTES = 8_192;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private ScheduleForm() {}

  /**
   * A plan of fire times.
   *
   * @param times {@code null} if it is invalid, or if each fire follows from the end of a run
   */
  record Plan(String cron, ZoneId zone, Long everyMs, Long anchor, Long afterMs, FireTimes times) {}

  /** Reads a complete definition; it is valid only if {@code in} has no invalid field. */
  static NewSchedule read(Fields in) {
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
   * Reads a plan.
   *
   * @param name from which the anchor of an interval follows; {@code null} for 0
   * @param mayFollowRuns whether {@code afterMs} is a plan
   */
  static Plan plan(Fields in, String name, boolean mayFollowRuns) {
    String cron = in.text("cron").ascii().max(CRON).value();
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

  private static void refusePlan(Fields in, List<String> plans, List<String> given) {
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

  private static FireTimes cron(Fields in, String cron, ZoneId zone) {
    try {
      return FireTimes.cron(cron, zone);
    } catch (IllegalArgumentException e) {
      in.refuse("cron", withoutName(e));
      return null;
    }
  }

  private static ZoneId zone(Fields in) {
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

  private static NewTask task(Fields in) {
    in.refuseUnknown(TASK_FIELDS);
    refuseOwn(in, "a key of its own", "idempotencyKey", "onDuplicate", "keyMs", "keyUntilDone");
    refuseOwn(in, "its own", "delayMs", "runAt");
    TaskDraft draft = NewTaskForm.readWithoutKey(in);
    NewTask task =
        new NewTask(
                draft.userId(),
                draft.type() == null ? null : draft.type().name(),
                draft.stage(),
                draft.scheduleLog(),
                draft.context(),
                draft.priority(),
                null,
                null,
                draft.maxRetryNum(),
                draft.maxRetryInterval(),
                null)
            .withMaxUnexpectedRetries(draft.maxUnexpectedRetries())
            .withWorkerIds(draft.workers().isEmpty() ? null : List.copyOf(draft.workers()));
    refuseIfLarge(in, "taskContext", task);
    return task;
  }

  private static NewJob job(Fields in) {
    refuseOwn(in, "a key of its own", "idempotencyKey");
    NewJob job = NewJobForm.readStrictly(in);
    refuseIfLarge(in, job.hasSplit() ? "jobInput" : job.team() != null ? "team" : "children", job);
    return job;
  }

  /** What a fire decides by itself. */
  private static void refuseOwn(Fields in, String what, String... names) {
    for (String name : names) {
      if (in.has(name)) {
        in.refuse(name, "must not be given: each fire of the schedule has " + what);
      }
    }
  }

  private static void refuseIfLarge(Fields in, String largest, Object target) {
    int bytes = JSON.writeValueAsString(target).getBytes(StandardCharsets.UTF_8).length;
    if (bytes > TARGET_BYTES) {
      in.refuse(
          largest,
          "is too large: the whole target is "
              + bytes
              + " bytes of JSON, and a schedule stores at most "
              + TARGET_BYTES);
    }
  }

  private static <E extends Enum<E>> E choice(Fields in, String name, E[] values, E absent) {
    if (!in.has(name)) {
      return absent;
    }
    String names = String.join(", ", Arrays.stream(values).map(Enum::name).toList());
    E chosen = in.text(name).as(text -> parse(text, values), "must be one of " + names);
    return chosen == null ? absent : chosen;
  }

  static <E extends Enum<E>> Optional<E> parse(String text, E[] values) {
    String name = text.toUpperCase(Locale.ROOT);
    return Arrays.stream(values).filter(value -> value.name().equals(name)).findFirst();
  }

  private static long orElse(Long value, long absent) {
    return value == null ? absent : value;
  }
}
