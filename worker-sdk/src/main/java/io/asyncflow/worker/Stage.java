package io.asyncflow.worker;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method (or a class that is a {@link StageHandler}, a {@link JobSplitter} or a {@link
 * JobMerger}) as the handler of a stage.
 *
 * <p>A method takes a {@link StageContext}, or the context parsed into another type, or both in
 * this order, and returns a {@link StageResult}. A context that is empty or JSON's {@code null}
 * fails the task for good, unless the parameter is a {@code String}, an {@code Optional}, or marked
 * {@code Nullable}. A method may have any visibility; if its bean has a Spring proxy, as a
 * transactional bean has, it must be neither private nor final.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Stage {

  /** The task type, matched without regard to case. */
  String type();

  /** The stage's name, case-sensitive. */
  String stage();

  /** Whether a run takes a {@link Slot}, with one place unless {@link #slots} is greater. */
  boolean slot() default false;

  /** The number of places on one device that a run takes; 0 means that {@link #slot} decides. */
  int slots() default 0;

  /**
   * The labels that a worker must have to ask for the stage, such as {@code gpu} or {@code
   * model=kokoro}; see {@link StageNeeds#labels}.
   */
  String[] requires() default {};

  /**
   * How often the worker runs the handler again by itself after an exception, in the same hold; see
   * {@link StageNeeds#retriedHere}. Not for a {@link BatchStageHandler} or a {@link JobSplitter}.
   */
  int localRetries() default 0;

  /** The pause before each of these runs, such as {@code 10s}, {@code 1m30s} or {@code PT10S}. */
  String localRetryPause() default "1s";

  /** The model that a run loads on its slot; empty for none; see {@link StageNeeds#model}. */
  String model() default "";
}
