package io.asyncflow.rules.schedule;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The times at which a schedule fires. All times are epoch milliseconds. Immutable and thread-safe.
 */
public abstract class FireTimes {

  /** How fire times follow the wall clock of their zone when its offset from UTC changes. */
  public enum Kind {

    /**
     * Each local time of the expression fires once, at the first instant at which the wall clock
     * shows this time or a later one. A local time that the clock shows twice fires the first time;
     * one that it skips fires when the skipped time ends, together with all others that were
     * skipped.
     */
    FIXED,

    /**
     * Fires at each instant at which the wall clock shows a local time of the expression. A local
     * time that the clock skips does not fire, one that it shows twice fires twice: each five
     * minutes stay five minutes.
     */
    INTERVAL
  }

  FireTimes() {}

  /**
   * The first fire time after {@code afterMs}, which is excluded; empty if there is none.
   *
   * @throws IllegalStateException if the time that was found is not after it, which is a bug
   */
  public final OptionalLong next(long afterMs) {
    OptionalLong next = find(afterMs);
    if (next.isPresent() && next.getAsLong() <= afterMs) {
      throw new IllegalStateException(
          "a bug: after " + afterMs + " comes " + next.getAsLong() + " of " + this);
    }
    return next;
  }

  abstract OptionalLong find(long afterMs);

  /**
   * The fire times after {@code afterMs} and before {@code end}, rising; the first of them if there
   * are more than {@code most}. Whatever walks along fire times does it by this method, so that
   * each walk has a bound.
   */
  public final List<Long> after(long afterMs, long end, int most) {
    List<Long> found = new ArrayList<>();
    OptionalLong next = next(afterMs);
    while (found.size() < most && next.isPresent() && next.getAsLong() < end) {
      found.add(next.getAsLong());
      next = next(next.getAsLong());
    }
    return found;
  }

  /** {@link Kind#INTERVAL} for {@link #every}, and by the rule of {@link #cron} for that. */
  public abstract Kind kind();

  /**
   * How many times an hour this fires, rounded up, at least 1: a measure of load. That of a cron
   * expression is the mean of a day on which it fires.
   */
  public abstract long firesPerHour();

  /**
   * The fire times of a cron expression. It has six fields: second, minute, hour, day of month,
   * month, day of week; or the last five of them, and the second is 0; or it is one of the macros
   * {@code @yearly}, {@code @annually}, {@code @monthly}, {@code @weekly}, {@code @daily}, {@code
   * @midnight}, {@code @hourly}. A seventh field may be {@code *} or {@code ?}. Fields are
   * separated by spaces or tabs.
   *
   * <p>A field is {@code *}, or a list of numbers, names, ascending ranges and steps. A day may be
   * {@code ?}, too. The day of month may be {@code L} for the last day, {@code L-3} for the third
   * day before it, and with a {@code W} the weekday (Monday to Friday) of the same month that is
   * nearest to a day: {@code 15W}, {@code LW}. A month that has no such day has no fire. Monday is
   * 1, and Sunday is 0 or 7. Steps of the day of week count from Sunday: {@code *&#47;2} is Sunday,
   * Tuesday, Thursday and Saturday. {@code 5L} is the last Friday of the month, {@code 5#2} its
   * second one, and {@code L} alone is Saturday.
   *
   * <p>It is of kind {@link Kind#INTERVAL} if its hour or its minute begins with {@code *}, else
   * {@link Kind#FIXED}; this is the rule of Vixie's cron. In six fields, both days must match if
   * both are restricted. In five fields they may not both be restricted, because other crons take
   * that for "one of them".
   *
   * <p>An expression that does not fire for a hundred years has no next fire time.
   *
   * @param expression at most 256 characters of ASCII
   * @param zone of the local times; {@link #zone} reads it from text
   * @throws IllegalArgumentException if the expression is malformed or never fires; the message
   *     tells a user why, and begins with "cron"
   */
  public static FireTimes cron(String expression, ZoneId zone) {
    return CronTimes.of(CronFields.parse(expression), zone);
  }

  /**
   * The times {@code anchor} + k × {@code everyMs}, for each k, also below 0.
   *
   * @param everyMs at least 1
   * @param anchor epoch ms, or any number: only its remainder counts; see {@link #anchorOf}
   * @throws IllegalArgumentException if {@code everyMs} is below 1
   */
  public static FireTimes every(long everyMs, long anchor) {
    return new EveryTimes(everyMs, anchor);
  }

  /**
   * An anchor for {@link #every} that depends on the name alone, so that schedules with the same
   * interval do not all fire at once.
   *
   * @param everyMs at least 1
   * @return from 0 to {@code everyMs} - 1; the same in each version and on each machine
   */
  public static long anchorOf(String name, long everyMs) {
    long hash = 0xcbf29ce484222325L; // FNV-1a, 64 bits: an interval may be longer than 2^32 ms
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    }
    return Math.floorMod(hash, everyMs);
  }

  /**
   * The time zone that an id names: a region of the IANA database, as {@code Europe/Berlin}, or
   * {@code UTC}. Offsets ({@code +02:00}, {@code UTC+2}) are refused, because they know no daylight
   * saving time, and so are names without a region ({@code EST}, {@code CET}, {@code EST5EDT}):
   * versions of Java disagree on what they mean. What the database has under {@code Etc} is a
   * region, too: {@code Etc/GMT+5} is five hours behind UTC.
   *
   * @param id case matters
   * @throws IllegalArgumentException if the id is none of these; the message tells a user why, and
   *     begins with "zone"
   */
  public static ZoneId zone(String id) {
    String text = PlainText.required("zone", id, 64);
    boolean isRegion = text.indexOf('/') > 0 && !text.startsWith("SystemV/");
    Set<String> known = ZoneId.getAvailableZoneIds();
    if (!text.equals("UTC") && !(isRegion && known.contains(text))) {
      throw new IllegalArgumentException(
          "zone \""
              + text
              + "\": must be UTC, or a region of the IANA database such as Europe/Berlin; offsets"
              + " and names without a region are not understood");
    }
    return ZoneId.of(text);
  }
}
