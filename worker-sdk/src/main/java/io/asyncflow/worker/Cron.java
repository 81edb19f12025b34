package io.asyncflow.worker;

import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a {@link Stage} a schedule: each fire creates a task in this stage, or a job if the class
 * is a {@link JobSplitter}.
 *
 * <pre>{@code
 * @Stage(type = "report", stage = "build")
 * @Cron(name = "nightly", value = "0 0 3 * * *", zone = "Europe/Berlin", revision = 3)
 * StageResult build(StageContext context) { … }
 * }</pre>
 *
 * <p>The worker saves the schedule when it starts, and tries again while flowsvr is away or the
 * task type does not exist; polling does not wait for it. A save of the same definition changes
 * nothing, so every worker of a fleet may save it. A schedule that flowsvr refuses is logged as an
 * error, and the worker runs without it. Removing the annotation does not delete the schedule.
 *
 * <p>A stage has one such annotation. Whatever it has no attribute for, such as {@code catchUp},
 * {@code jitter}, {@code maxFires} or {@code pauseAfterFailures}, and a second schedule of a stage,
 * is given to {@link Worker.Builder#schedule}, which takes everything that {@link NewSchedule} has.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Cron {

  /** The unique name of the schedule, at most 128 characters. */
  String name();

  /**
   * The cron expression, read in {@link #zone}: six fields, or five without seconds, or a macro
   * such as {@code @daily}. Either this or {@link #every}. In a Spring application it may contain
   * placeholders, such as {@code ${nightly.cron}}, and so may {@link #zone} and {@link #every}.
   */
  String value() default "";

  /** The IANA id of the time zone of {@link #value}. */
  String zone() default "UTC";

  /**
   * The time between two fires, such as {@code 30s}, {@code 1h30m} or {@code PT30S}; a second to
   * 366 days.
   */
  String every() default "";

  /**
   * Raise it with each change of the schedule. While workers of two versions run, those of the
   * older version then do not undo the change.
   */
  int revision() default 0;

  /** The user that the tasks or jobs are for. */
  String user() default "schedule";

  /** The context of each task, or the input of each job. */
  String context() default "{}";

  /** What a fire does while the last run has not ended. */
  Overlap overlap() default Overlap.ALLOW;
}
