package io.asyncflow.api.schedule;

/**
 * Fire times in a row that made nothing.
 *
 * @param fromTime the first of them, epoch milliseconds
 * @param toTime the last of them, epoch milliseconds
 * @param fires how many they are
 * @param reason why they made nothing
 */
public record ScheduleGap(long fromTime, long toTime, int fires, GapReason reason) {}
