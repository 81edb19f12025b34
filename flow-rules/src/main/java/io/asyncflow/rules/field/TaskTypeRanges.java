package io.asyncflow.rules.field;

/**
 * The valid range of each setting of a type, a column of {@code t_schedule_cfg}; a save outside of
 * it is refused.
 */
public enum TaskTypeRanges {
  SCHEDULE_LIMIT(1, 1_000),
  SCHEDULE_INTERVAL(1, 86_400),
  MAX_PROCESSING_TIME(1, 946_080_000), // 30 years
  MAX_RETRY_NUM(0, 10_000),
  RETRY_INTERVAL(-31_536_000, 31_536_000), // a year
  MAX_RETRY_INTERVAL(0, 31_536_000),
  MAX_UNEXPECTED_RETRIES(0, 10_000),
  LEASE_SECONDS(1, 86_400),
  MAX_DELIVERY(1, 10_000),
  ROLL_THRESHOLD(1, 1_000_000_000_000L),
  RETENTION_DAYS(0, 36_500),
  MAX_EXECUTING(0, 1_000_000),
  RATE_LIMIT(0, 1_000_000),
  USER_RATE_LIMIT(0, 1_000_000),
  MIN_WORKER_VERSION(0, 1_000_000_000),
  PAUSED(0, 1),
  EVENTS(0, 2),
  SEALED(-1, 1);

  private final long min;
  private final long max;

  TaskTypeRanges(long min, long max) {
    this.min = min;
    this.max = max;
  }

  /** Reads the field that has this range. */
  NumberField read(FieldSource in, String name) {
    return in.number(name).between(min, max);
  }

  public int clamp(int value) {
    return (int) clamp((long) value);
  }

  public long clamp(long value) {
    return Math.min(Math.max(value, min), max);
  }
}
