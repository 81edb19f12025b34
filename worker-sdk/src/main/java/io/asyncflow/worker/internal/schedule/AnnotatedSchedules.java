package io.asyncflow.worker.internal.schedule;

import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.worker.Cron;
import io.asyncflow.worker.InvalidStageException;
import io.asyncflow.worker.JobMerger;
import io.asyncflow.worker.JobSplitter;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.internal.loop.DurationText;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Reads the schedules that {@link Cron} gives to stages. */
public final class AnnotatedSchedules {

  private static final int LONGEST_CRON = 256;
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofDays(366);

  private AnnotatedSchedules() {}

  /**
   * The schedules of the object's class and of its methods.
   *
   * @throws InvalidStageException if one of them is invalid, or marks no stage
   */
  public static List<NewSchedule> of(Object target) {
    List<NewSchedule> schedules = new ArrayList<>();
    add(target.getClass(), target.getClass(), schedules);
    for (Class<?> c = target.getClass(); c != null && c != Object.class; c = c.getSuperclass()) {
      for (Method method : c.getDeclaredMethods()) {
        if (!method.isBridge()) {
          add(method, target.getClass(), schedules);
        }
      }
    }
    return schedules;
  }

  private static void add(AnnotatedElement marked, Class<?> type, List<NewSchedule> schedules) {
    Cron cron = marked.getAnnotation(Cron.class);
    if (cron != null) {
      Stage stage = marked.getAnnotation(Stage.class);
      schedules.add(of(cron, stage, marked, type, UnaryOperator.identity()));
    }
  }

  /**
   * One schedule.
   *
   * @param stage {@code null} if the element has none
   * @param marked the method or the class that has the annotation
   * @param type the class of the handler
   * @param placeholders replaces placeholders in the plan
   * @throws InvalidStageException if it is invalid
   */
  public static NewSchedule of(
      Cron cron,
      Stage stage,
      AnnotatedElement marked,
      Class<?> type,
      UnaryOperator<String> placeholders) {
    if (stage == null) {
      throw new InvalidStageException(
          "@Cron is on " + marked + ", which has no @Stage",
          "add @Stage, which says what each fire runs");
    }
    NewSchedule plan = planOf(cron, marked, placeholders);
    Schedules.requireName(plan.name(), "@Cron on " + marked);
    if (handles(JobMerger.class, JobMerger.STAGE, stage, marked, type)) {
      throw new InvalidStageException(
          "@Cron is on " + marked + ", which merges jobs and runs in no task of its own",
          "put it on the JobSplitter of the type");
    }
    NewSchedule schedule = plan.overlap(cron.overlap()).revision(cron.revision());
    return handles(JobSplitter.class, JobSplitter.STAGE, stage, marked, type)
        ? schedule.creating(NewJob.of(stage.type(), cron.user(), cron.context()))
        : schedule.creating(NewTask.of(stage.type(), stage.stage(), cron.user(), cron.context()));
  }

  /** Whether the stage is this part of jobs, by the rules of {@code AnnotatedStages}. */
  private static boolean handles(
      Class<?> part, String partStage, Stage stage, AnnotatedElement marked, Class<?> type) {
    return marked instanceof Class
        && part.isAssignableFrom(type)
        && !StageHandler.class.isAssignableFrom(type)
        && stage.stage().equals(partStage);
  }

  private static NewSchedule planOf(
      Cron cron, AnnotatedElement marked, UnaryOperator<String> placeholders) {
    String expression = placeholders.apply(cron.value()).strip();
    String every = placeholders.apply(cron.every()).strip();
    String where = "@Cron " + cron.name() + " on " + marked;
    if (expression.isEmpty() == every.isEmpty()) {
      throw new InvalidStageException(
          where + " has " + (every.isEmpty() ? "neither value nor every" : "a value and an every"),
          "set one of them");
    }
    return every.isEmpty()
        ? NewSchedule.cron(
            cron.name(),
            checkedCron(expression, where),
            zoneOf(placeholders.apply(cron.zone()).strip(), where))
        : NewSchedule.every(cron.name(), intervalOf(every, where));
  }

  /** Checks the form alone; flowsvr reads the fields. */
  private static String checkedCron(String expression, String where) {
    int fields = expression.split("\\s+").length;
    boolean macro = expression.startsWith("@") && fields == 1;
    if (!macro && fields != 5 && fields != 6 || expression.length() > LONGEST_CRON) {
      throw new InvalidStageException(
          where + " has the value '" + expression + "', which is no cron expression",
          "take six fields (second minute hour day month weekday), five without seconds, or a macro"
              + " such as @daily");
    }
    return expression;
  }

  private static ZoneId zoneOf(String zone, String where) {
    try {
      return ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw new InvalidStageException(
          where + " has the zone '" + zone + "', which is no time zone",
          "take an IANA id such as Europe/Berlin");
    }
  }

  private static Duration intervalOf(String every, String where) {
    try {
      Duration interval = DurationText.parse(every);
      if (interval.compareTo(SHORTEST) >= 0 && interval.compareTo(LONGEST) <= 0) {
        return interval;
      }
    } catch (DateTimeParseException e) {
      // Reported below.
    }
    throw new InvalidStageException(
        where + " has the every '" + every + "', which is no interval of 1 s to 366 days",
        "take a duration such as 30s, 1h30m or PT30S");
  }
}
