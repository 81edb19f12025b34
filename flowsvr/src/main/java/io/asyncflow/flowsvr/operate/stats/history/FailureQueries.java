package io.asyncflow.flowsvr.operate.stats.history;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingLong;

import io.asyncflow.api.stats.FailureGroup;
import io.asyncflow.api.stats.FailurePage;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.operate.stats.history.FailureHistoryStore.Key;
import io.asyncflow.flowsvr.operate.stats.history.FailureHistoryStore.Row;
import io.asyncflow.flowsvr.operate.stats.history.FailureHistoryStore.Sample;
import io.asyncflow.rules.Fingerprint;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.stereotype.Service;

/** Failures that are alike, the latest first. Thread-safe. */
@Service
public class FailureQueries {

  private static final long HOUR_MS = Duration.ofHours(1).toMillis();
  private static final int SPARK = 24;
  private static final int ROWS = 20_000;

  private final FailureHistoryStore store;
  private final ReadDatabase database;

  FailureQueries(FailureHistoryStore store, ReadDatabase database) {
    this.store = store;
    this.database = database;
  }

  /**
   * A question.
   *
   * @param stage {@code null} for any, as the verdict
   * @param from epoch ms; {@code null} for a day before {@code to}
   * @param to epoch ms; {@code null} for now
   * @param after {@code null} for the first page
   */
  public record Asked(
      Collection<String> types,
      String stage,
      String verdict,
      Long from,
      Long to,
      int limit,
      Cursor after) {

    boolean wants(Row row) {
      return (stage == null || stage.equals(row.stage()))
          && (verdict == null || verdict.equals(row.verdict()));
    }
  }

  /** The place of a group in the list. */
  public record Cursor(long lastTime, Fingerprint fingerprint, String type) {

    private static final Comparator<Cursor> LATEST_FIRST =
        comparingLong(Cursor::lastTime)
            .reversed()
            .thenComparing(Cursor::type)
            .thenComparingLong(cursor -> cursor.fingerprint().value());

    private static final Pattern FORM =
        Pattern.compile("([0-9]{1,15})-([0-9a-f]{16})-([a-z0-9_]+)");

    public static Optional<Cursor> parse(String text) {
      Matcher form = FORM.matcher(text);
      return form.matches()
          ? Fingerprint.parse(form.group(2))
              .map(print -> new Cursor(Long.parseLong(form.group(1)), print, form.group(3)))
          : Optional.empty();
    }

    boolean isBefore(Group group) {
      return LATEST_FIRST.compare(this, group.cursor()) < 0;
    }

    @Override
    public String toString() {
      return lastTime + "-" + fingerprint + "-" + type;
    }
  }

  /** Failures that are alike, of all servers and hours. */
  private static final class Group {
    private final long[] spark = new long[SPARK];
    private Row last;
    private long failures;
    private long finals;
    private long firstTime = Long.MAX_VALUE;

    void add(Row row, int part) {
      last = last == null || row.lastTime() > last.lastTime() ? row : last;
      failures += row.failures();
      finals += row.finals();
      firstTime = Math.min(firstTime, row.firstTime());
      spark[part] += row.failures();
    }

    Cursor cursor() {
      return new Cursor(last.lastTime(), last.key().fingerprint(), last.key().type());
    }

    FailureGroup shown(Sample sample) {
      boolean isNone = last.key().fingerprint().equals(Fingerprint.NONE);
      return new FailureGroup(
          last.key().fingerprint().toString(),
          last.key().type(),
          isNone ? null : last.stage(),
          isNone ? null : last.verdict(),
          failures,
          finals,
          firstTime,
          last.lastTime(),
          sample == null ? "" : sample.message(),
          sample == null ? null : sample.taskId(),
          Arrays.stream(spark).boxed().toList());
    }
  }

  private record GroupKey(String type, Fingerprint fingerprint) {}

  public FailurePage page(Asked asked) {
    return database.inTurn(() -> read(asked));
  }

  private FailurePage read(Asked asked) {
    long to = asked.to() == null ? database.now() + 1 : asked.to();
    long from = asked.from() == null ? to - Duration.ofDays(1).toMillis() : asked.from();
    long fromHour = from / HOUR_MS;
    long toHour = Math.max(fromHour, (to - 1) / HOUR_MS);
    Map<GroupKey, Group> groups = new HashMap<>();
    boolean isWhole =
        store.read(
            asked.types(),
            fromHour,
            toHour,
            ROWS,
            row -> {
              if (asked.wants(row)) {
                Key key = row.key();
                long part = (key.hour() - fromHour) * SPARK / (toHour - fromHour + 1);
                groups
                    .computeIfAbsent(
                        new GroupKey(key.type(), key.fingerprint()), group -> new Group())
                    .add(row, (int) part);
              }
            });
    List<Group> rest =
        groups.values().stream()
            .filter(group -> asked.after() == null || asked.after().isBefore(group))
            .sorted(comparing(Group::cursor, Cursor.LATEST_FIRST))
            .toList();
    List<Group> page = rest.subList(0, Math.min(asked.limit(), rest.size()));
    Map<Key, Sample> samples = store.samples(page.stream().map(group -> group.last.key()).toList());
    return new FailurePage(
        isWhole,
        page.stream().map(group -> group.shown(samples.get(group.last.key()))).toList(),
        rest.size() > page.size() ? page.get(page.size() - 1).cursor().toString() : null);
  }
}
