package io.asyncflow.fake;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FirePreviewRequest;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.rules.schedule.FireRules;
import io.asyncflow.rules.schedule.FireTimes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/** Checks the definition of a schedule as the server does, and adds the defaults. */
final class CompleteSchedule {

  private static final int NAME = 128;

  /** Nothing fires more often. */
  private static final long MIN_PAUSE_MS = 1_000;

  private static final long DAY_MS = Duration.ofDays(1).toMillis();
  private static final long MAX_MS = 366 * DAY_MS;
  private static final int TARGET_BYTES = 8_192;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final List<String> refusals = new ArrayList<>();

  private CompleteSchedule() {}

  /**
   * The definition with the defaults for what it leaves out.
   *
   * @throws FlowException with {@link ErrorCode#INVALID_INPUT} if a field is invalid
   */
  static NewSchedule of(NewSchedule schedule) {
    return new CompleteSchedule().complete(schedule);
  }

  /**
   * The fire times of a preview.
   *
   * @throws FlowException with {@link ErrorCode#INVALID_INPUT} if a field is invalid
   */
  static FireTimes times(FirePreviewRequest request) {
    CompleteSchedule check = new CompleteSchedule();
    check.requireOne("a preview", "cron or everyMs", request.cron(), request.everyMs());
    check.requirePlan(
        request.cron(), zoneOf(request.zone()), request.everyMs(), request.anchor(), null);
    check.refuseIfBad();
    return timesOf(
        request.cron(),
        zoneOf(request.zone()),
        request.everyMs(),
        Objects.requireNonNullElse(request.anchor(), 0L));
  }

  /** The zone that this text names. */
  static ZoneId zone(String zone) {
    return FireTimes.zone(zoneOf(zone));
  }

  private static String zoneOf(String zone) {
    return zone == null ? "UTC" : zone;
  }

  /** The rules of a complete definition. */
  static FireRules rules(long id, NewSchedule schedule) {
    return new FireRules(
        id,
        timesOf(schedule.cron(), schedule.zone(), schedule.everyMs(), schedule.anchor()),
        schedule.afterMs(),
        schedule.endTime(),
        schedule.maxFires(),
        schedule.overlap(),
        schedule.catchUp(),
        schedule.catchUpMs(),
        schedule.catchUpLimit(),
        schedule.jitterMs(),
        schedule.pauseAfterFailures(),
        schedule.jobData() != null);
  }

  private static FireTimes timesOf(String cron, String zone, Long everyMs, Long anchor) {
    if (cron != null) {
      return FireTimes.cron(cron, FireTimes.zone(zone));
    }
    return everyMs == null ? null : FireTimes.every(everyMs, anchor);
  }

  private NewSchedule complete(NewSchedule in) {
    requireName(in.name());
    requireOne("a schedule", "cron, everyMs or afterMs", in.cron(), in.everyMs(), in.afterMs());
    requirePlan(in.cron(), zoneOf(in.zone()), in.everyMs(), in.anchor(), in.afterMs());
    if (in.cron() == null && !zoneOf(in.zone()).equals("UTC")) {
      refuse("zone belongs to cron");
    }
    requireOne("a schedule", "taskData or jobData", in.taskData(), in.jobData());
    NewTask task = in.taskData() == null ? null : complete(in.taskData());
    NewJob job = in.jobData() == null ? null : complete(in.jobData());
    if (in.startTime() != null && in.endTime() != null && in.endTime() <= in.startTime()) {
      refuse("endTime must be after startTime");
    }
    Overlap overlap = Objects.requireNonNullElse(in.overlap(), Overlap.ALLOW);
    if (in.afterMs() != null && overlap != Overlap.ALLOW) {
      refuse("overlap must not be given with afterMs, which waits for the last run");
    }
    NewSchedule complete =
        new NewSchedule(
            in.name(),
            in.cron(),
            zoneOf(in.zone()),
            in.everyMs(),
            in.anchor() != null || in.everyMs() == null || in.everyMs() < 1 || in.name() == null
                ? in.anchor()
                : (Long) FireTimes.anchorOf(in.name(), in.everyMs()),
            in.afterMs(),
            task,
            job,
            in.startTime(),
            in.endTime(),
            between("maxFires", in.maxFires(), 1, Long.MAX_VALUE, null),
            overlap,
            Objects.requireNonNullElse(in.catchUp(), CatchUp.LATEST),
            between("catchUpMs", in.catchUpMs(), 0, MAX_MS, 7 * DAY_MS),
            between("catchUpLimit", in.catchUpLimit(), 1, 1_000, 100),
            between("jitterMs", in.jitterMs(), 0, (int) DAY_MS, 0),
            between("pauseAfterFailures", in.pauseAfterFailures(), 0, Integer.MAX_VALUE, 0),
            between("weight", in.weight(), 1, 1_000, 1),
            between("revision", in.revision(), 0, Integer.MAX_VALUE, 0));
    refuseIfBad();
    return complete;
  }

  private void requireName(String name) {
    if (name == null || name.isBlank()) {
      refuse("name is required");
    } else if (name.codePointCount(0, name.length()) > NAME) {
      refuse("name must have at most " + NAME + " characters");
    } else if (!name.equals(name.strip()) || name.chars().anyMatch(Character::isISOControl)) {
      refuse("name must not have control characters, nor white space at its ends");
    }
  }

  private void requireOne(String whose, String names, Object... values) {
    if (Stream.of(values).filter(Objects::nonNull).count() != 1) {
      refuse(whose + " has one of " + names);
    }
  }

  private void requirePlan(String cron, String zone, Long everyMs, Long anchor, Long afterMs) {
    between("everyMs", everyMs, MIN_PAUSE_MS, MAX_MS, null);
    between("afterMs", afterMs, MIN_PAUSE_MS, MAX_MS, null);
    if (anchor != null && everyMs == null) {
      refuse("anchor belongs to everyMs");
    }
    try {
      ZoneId known = FireTimes.zone(zone);
      if (cron != null) {
        FireTimes.cron(cron, known);
      }
    } catch (IllegalArgumentException e) {
      refuse(e.getMessage());
    }
  }

  private NewTask complete(NewTask task) {
    require("userId", task.userId());
    require("taskType", task.taskType());
    require("taskStage", task.taskStage());
    boolean hasKey =
        task.idempotencyKey() != null
            || task.onDuplicate() != null
            || task.keyMs() != null
            || task.keyUntilDone() != null;
    if (hasKey || task.delayMs() != null || task.runAt() != null) {
      refuse(
          "idempotencyKey and its options, delayMs and runAt must not be given: each fire of the"
              + " schedule has its own");
    }
    NewTask complete =
        new NewTask(
                task.userId(),
                lowerCase(task.taskType()),
                task.taskStage(),
                task.scheduleLog(),
                Objects.requireNonNullElse(task.taskContext(), ""),
                task.priority(),
                null,
                null,
                task.maxRetryNum(),
                task.maxRetryInterval(),
                null)
            .withMaxUnexpectedRetries(task.maxUnexpectedRetries())
            .withWorkerIds(task.workerIds());
    requireSmall("taskContext", complete);
    return complete;
  }

  private NewJob complete(NewJob job) {
    require("userId", job.userId());
    require("jobType", job.jobType());
    if (job.idempotencyKey() != null) {
      refuse("idempotencyKey must not be given: each fire of the schedule has a key of its own");
    }
    NewJob complete =
        new NewJob(
            job.userId(),
            lowerCase(job.jobType()),
            Objects.requireNonNullElse(job.jobInput(), ""),
            Objects.requireNonNullElse(job.priority(), 0),
            null,
            Objects.requireNonNullElse(job.failurePolicy(), FailurePolicy.FINISH),
            lowerCase(job.childType() == null ? job.jobType() : job.childType()),
            job.window() == null ? null : between("window", job.window(), 1, 100_000, null),
            job.team(),
            job.children(),
            job.merges());
    requireSmall("jobInput", complete);
    return complete;
  }

  private void require(String name, String value) {
    if (value == null || value.isBlank()) {
      refuse(name + " is required");
    }
  }

  private void requireSmall(String largest, Object target) {
    int bytes = bytesOf(target);
    if (bytes > TARGET_BYTES) {
      refuse(
          "%s is too large: the whole target is %s bytes of JSON, and a schedule stores at most %s"
              .formatted(largest, bytes, TARGET_BYTES));
    }
  }

  private static int bytesOf(Object target) {
    try {
      return JSON.writeValueAsString(target).getBytes(StandardCharsets.UTF_8).length;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a target cannot be written as JSON", e);
    }
  }

  private static String lowerCase(String type) {
    return type == null ? null : type.toLowerCase(Locale.ROOT);
  }

  /** The value, or {@code absent} for {@code null}. */
  private <N extends Number> N between(String name, N value, long least, long most, N absent) {
    if (value == null) {
      return absent;
    }
    if (value.longValue() < least || value.longValue() > most) {
      refuse(name + " must be from " + least + " to " + most);
    }
    return value;
  }

  private void refuse(String why) {
    refusals.add(why);
  }

  private void refuseIfBad() {
    if (!refusals.isEmpty()) {
      throw new FlowException(ErrorCode.INVALID_INPUT, String.join("; ", refusals));
    }
  }
}
