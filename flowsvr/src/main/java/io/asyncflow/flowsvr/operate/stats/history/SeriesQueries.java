package io.asyncflow.flowsvr.operate.stats.history;

import com.github.benmanes.caffeine.cache.Cache;
import io.asyncflow.api.stats.Series;
import io.asyncflow.flowsvr.base.pulse.count.Count;
import io.asyncflow.flowsvr.base.pulse.count.Histogram;
import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.RecentValues;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Function;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Service;

/** Numbers over time. An answer is kept for some seconds, for all who ask the same. Thread-safe. */
@Service
public class SeriesQueries {

  private static final Duration KEPT = Duration.ofSeconds(5);
  private static final int MOST_KEPT = 100;
  private static final long MINUTE_MS = Duration.ofMinutes(1).toMillis();

  /** Older minutes may be rolled up into tens. */
  private static final Duration MINUTES_KEPT = Duration.ofHours(25);

  private static final int TEN = 10;

  /** Twenty types of five servers for a day. */
  private static final int MOST_ROWS = 200_000;

  private final MetricHistoryStore store;
  private final ReadDatabase database;
  private final int most;
  private final Cache<Asked, Series> kept;

  @Autowired
  SeriesQueries(MetricHistoryStore store, ReadDatabase database, Node node) {
    this(store, database, node, MOST_ROWS);
  }

  /**
   * @param most rows that an answer adds up
   */
  SeriesQueries(MetricHistoryStore store, ReadDatabase database, Node node, int most) {
    this.store = store;
    this.database = database;
    this.kept = RecentValues.of(KEPT, MOST_KEPT, node);
    this.most = most;
  }

  /**
   * A question.
   *
   * @param stage {@code ""} for all stages together
   * @param from epoch ms; {@code null} for an hour before {@code to}
   * @param to epoch ms; {@code null} for now
   */
  public record Asked(SortedSet<String> types, String stage, Long from, Long to, int points) {}

  public Series get(Asked asked) {
    Series known = kept.getIfPresent(asked);
    if (known == null) {
      known = database.inTurn(() -> read(asked)); // within a read of the cache others would wait
      kept.put(asked, known);
    }
    return known;
  }

  private Series read(Asked asked) {
    long now = database.now();
    long to = asked.to() == null ? now : asked.to();
    long from = asked.from() == null ? to - Duration.ofHours(1).toMillis() : asked.from();
    boolean hasTens = from < now - MINUTES_KEPT.toMillis();
    long step = step(to - from, asked.points(), hasTens ? TEN : 1);
    long begin = Math.floorDiv(from, step * MINUTE_MS) * step; // a minute
    long end = ceilDiv(to, MINUTE_MS);
    Map<Long, Numbers> steps = new TreeMap<>();
    for (long minute = begin; minute < end; minute += step) {
      steps.put(minute, new Numbers());
    }
    int read = 0;
    for (String type : asked.types()) {
      if (read == most) {
        break;
      }
      read +=
          store.addUp(
              type,
              asked.stage(),
              begin,
              end,
              most - read,
              (name, stage, minute) -> steps.get(begin + (minute - begin) / step * step));
    }
    return series(begin, step, read < most, steps, now);
  }

  /** The length of a step in minutes, so that there are at most so many. */
  private static long step(long ms, int points, int multipleOf) {
    long minutes = ceilDiv(ms, MINUTE_MS);
    long least = Math.max(1, ceilDiv(minutes, points));
    return ceilDiv(least, multipleOf) * multipleOf;
  }

  private static long ceilDiv(long dividend, long divisor) {
    return -Math.floorDiv(-dividend, divisor);
  }

  private static Series series(
      long begin, long step, boolean whole, Map<Long, Numbers> steps, long now) {
    List<Numbers> past = new ArrayList<>();
    steps.forEach((minute, numbers) -> past.add(minute * MINUTE_MS <= now ? numbers : null));
    Map<String, List<Long>> counts = new LinkedHashMap<>();
    counts.put("created", each(past, numbers -> numbers.count(Count.CREATED)));
    counts.put("finished", each(past, Numbers::finished));
    counts.put("failed", each(past, numbers -> numbers.count(Count.FAILED)));
    counts.put("retried", each(past, numbers -> numbers.count(Count.RETRIED)));
    return new Series(
        begin * MINUTE_MS,
        step * MINUTE_MS,
        whole,
        counts,
        percentiles(past, Numbers::runs),
        percentiles(past, Numbers::waits));
  }

  private static Map<String, List<Long>> percentiles(
      List<Numbers> steps, Function<Numbers, Histogram> of) {
    Map<String, List<Long>> percentiles = new LinkedHashMap<>();
    percentiles.put("p50", each(steps, numbers -> of.apply(numbers).percentileOrNull(0.5)));
    percentiles.put("p95", each(steps, numbers -> of.apply(numbers).percentileOrNull(0.95)));
    percentiles.put("p99", each(steps, numbers -> of.apply(numbers).percentileOrNull(0.99)));
    return percentiles;
  }

  private static List<Long> each(List<Numbers> steps, Function<Numbers, Long> value) {
    List<Long> values = new ArrayList<>(steps.size());
    steps.forEach(numbers -> values.add(numbers == null ? null : value.apply(numbers)));
    return values;
  }
}
