package io.asyncflow.flowsvr.base.pulse.count;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.Locale;

/** What is counted of the tasks of a stage; the columns of {@code t_metric} have these names. */
public enum Count {
  CREATED,
  /** From another stage. */
  ARRIVED,
  HELD,
  SUCCEEDED,
  /** To another stage. */
  MOVED_ON,
  /** Attempts that failed by a report, with a retry to come. */
  RETRIED,
  /** Tasks that were set to failed, for whatever reason. */
  FAILED,
  CANCELLED,
  /** By RELEASE or SNOOZE. */
  GIVEN_BACK,
  /** Holds of workers that were lost, also those whose lease an operator ended. */
  LOST,
  /** Attempts that ran too long, also the last ones of tasks that failed. */
  TIMED_OUT,
  /** Tasks that were lost too often. They count as {@link #FAILED}, too. */
  POISONED;

  /** The names of the columns with commas. */
  static final String COLUMNS = Arrays.stream(values()).map(Count::column).collect(joining(", "));

  String column() {
    return name().toLowerCase(Locale.ROOT);
  }
}
