package io.asyncflow.worker;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method (or a class that is a {@link StageHandler}, a {@link JobSplitter} or a {@link
 * JobMerger}) the handler of a stage.
 *
 * <p>A method takes a {@link StageContext}, or the context as a type of its own, or both in this
 * order, and returns a {@link StageResult}. A context that is empty or JSON's {@code null} fails
 * the task for good, unless the parameter is a {@code String}, an {@code Optional}, or marked
 * {@code Nullable}. A method may have any visibility; where a Spring proxy stands in front of its
 * bean, as a transactional one does, it must be neither private nor final.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Stage {

  /** The task type, matched without regard to case. */
  String type();

  /** The stage, exactly as tasks name it. */
  String stage();

  /** Whether a run of it takes a {@link Slot}, of one place unless {@link #slots} says more. */
  boolean slot() default false;

  /** How many places on one device a run of it takes; 0 leaves it to {@link #slot}. */
  int slots() default 0;

  /**
   * What a worker must be labelled with to ask for it, as {@code gpu} or {@code model=kokoro}; see
   * {@link StageNeeds#labels}.
   */
  String[] requires() default {};

  /** What a run of it loads on its slot; see {@link StageNeeds#model}. */
  String model() default "";
}
