package io.asyncflow.flowsvr.queue.due;

import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.rules.TaskTable;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Remembers, for the sources of one type, when their next task is due, so that claims skip sources
 * in which nothing is due. It learns from claims, looks, news and the {@link DueScan}.
 *
 * <ul>
 *   <li>A source in which nothing is due is quiet until its next task is due, or until news names
 *       it. So an old table with one unfinished task, or with a hundred thousand delayed tasks,
 *       does not slow down claims on the tables behind it.
 *   <li>A claim begins at the due time before which nothing was waiting: claimed rows leave
 *       delete-marked index entries there, which InnoDB cannot purge while any transaction has an
 *       older snapshot. A margin allows for creates that commit late.
 *   <li>Tasks that arrive without news (from another server, or by SQL) are found by the scan,
 *       which reads the sources that holds wait for from their beginning. A source in which claims
 *       go on is scanned once a second; only the scan reads the delete-marked entries at its
 *       beginning, and claims keep their starting point meanwhile.
 *   <li>Correctness does not depend on the scan: a source that it has not seen for ten seconds is
 *       read by the next claim, as is a source to which claims return after a pause.
 * </ul>
 *
 * <p>A wrong hint can only delay a due task a little; it cannot make a hold take a wrong task.
 * Times are {@link System#nanoTime()} unless stated otherwise. Thread-safe.
 */
final class DueMap {

  /** How long a read from the beginning of a busy source stays valid. */
  private static final long WHOLE_LOOK = TimeUnit.SECONDS.toNanos(1);

  /** How long a source stays quiet without another look. */
  private static final long QUIET = TimeUnit.SECONDS.toNanos(10);

  /**
   * A claim later than this after the last read from the beginning reads from the beginning itself.
   */
  private static final long CLAIMS_GO_ON = TimeUnit.SECONDS.toNanos(2);

  /** Of a read of first entries: entries in front of them cannot be purged. */
  private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(20);

  /** So creators spend at most a twentieth of their time on slow questions. */
  private static final int PAUSE_FACTOR = 20;

  private static final long LONG_PAUSE_MS = 60_000;
  private static final long MARGIN_MS = 250;
  private static final int MANY = 1_000;

  private final Map<Source, Hint> sources = new HashMap<>();
  private final Map<TaskTable, Long> newsOfTable = new HashMap<>();
  private final Set<Source> toScan = new HashSet<>();
  private long news;
  private long newsOfAnything;
  private long newsOfEarlierDue;
  private final WaitingSources waiting = new WaitingSources();
  private Long creatorsAskFrom;

  /**
   * @param from epoch ms before which no task of the source is due
   * @param wholeAt when the source was last read from its beginning
   * @param quietUntil no task is due before this time, as far as is known; {@code wholeAt} if a
   *     task may be due now
   * @param mayHaveDue whether a task was seen due that was not taken, or news has arrived since
   * @param isStale whether a task may have arrived that is due earlier than {@code from}
   */
  private record Hint(
      long from, long wholeAt, long quietUntil, boolean mayHaveDue, boolean isStale) {

    boolean isOldAt(long now) {
      return now - wholeAt >= WHOLE_LOOK;
    }

    boolean isBusy() {
      return mayHaveDue && !isStale;
    }
  }

  /** The sources for looks that name no stage. */
  WaitingSources waiting() {
    return waiting;
  }

  /**
   * The number of news so far. Read before a look, it tells which news the look may have missed.
   */
  synchronized long newsCount() {
    return news;
  }

  /** Takes in news: tasks may have become claimable. */
  synchronized void on(TasksWaiting told) {
    news++;
    if (told.tables().isEmpty()) {
      newsOfAnything = news;
    }
    told.tables().forEach(table -> newsOfTable.put(table, news));
    if (!told.dueFromNowOn()) {
      newsOfEarlierDue = news;
    }
    waiting.on(told);
    sources.replaceAll(
        (source, hint) ->
            (told.tables().isEmpty() || told.tables().contains(source.table()))
                    && (told.stages().isEmpty() || told.stages().contains(source.stage()))
                ? afterNews(hint, told.dueFromNowOn())
                : hint);
  }

  private static Hint afterNews(Hint hint, boolean dueFromNowOn) {
    boolean isStale = hint.isStale() || !dueFromNowOn;
    return new Hint(hint.from(), hint.wholeAt(), hint.wholeAt(), true, isStale);
  }

  /**
   * Whether a creator may ask whether anything is due, which is left out for a while if it is slow.
   */
  synchronized boolean mayCreatorAsk(long now) {
    return creatorsAskFrom == null || now - creatorsAskFrom >= 0;
  }

  /** A creator that waits for the answer has asked whether anything is due. */
  synchronized void creatorAsked(long tookNanos, long now) {
    creatorsAskFrom = tookNanos > SLOW ? now + PAUSE_FACTOR * tookNanos : null;
  }

  /** The range of a source to read now; empty if the source is quiet. */
  synchronized Optional<Range> rangeOf(Source source, long now) {
    Hint hint = sources.get(source);
    boolean isQuiet = hint != null && hint.quietUntil() - now > 0;
    return isQuiet ? Optional.empty() : Optional.of(requiredRange(source, now));
  }

  /** As {@link #rangeOf}, but also for a quiet source. */
  synchronized Range requiredRange(Source source, long now) {
    Hint hint = sources.get(source);
    boolean isWhole =
        hint == null || hint.isStale() || hint.isOldAt(now) && !isLeftToTheScan(source, hint, now);
    return isWhole ? Range.whole(source) : new Range(source, hint.from());
  }

  private boolean isLeftToTheScan(Source source, Hint hint, long now) {
    long leftFor = toScan.contains(source) ? QUIET : CLAIMS_GO_ON;
    return hint.isBusy() && now - hint.wholeAt() < leftFor;
  }

  /** Records that a claim begins behind the delete-marked entries of the source. */
  synchronized void claimedFrom(Source source, long now) {
    Hint hint = sources.get(source);
    if (hint != null && hint.isBusy() && hint.isOldAt(now) && isLeftToTheScan(source, hint, now)) {
      toScan.add(source);
    }
  }

  /** The busy sources that were not read from their beginning lately. */
  synchronized Set<Source> busyToScan() {
    return Set.copyOf(toScan);
  }

  /**
   * Those of the sources that are quiet or unknown and were not read from their beginning for a
   * while. In the others a task is known to be due.
   *
   * @param ageNanos the least age of the last read, in nanoseconds
   */
  synchronized List<Source> quietToScan(Collection<Source> wanted, long ageNanos, long now) {
    return wanted.stream()
        .filter(
            source -> {
              Hint hint = sources.get(source);
              return hint == null
                  || hint.quietUntil() - now > 0 && now - hint.wholeAt() >= ageNanos;
            })
        .toList();
  }

  /**
   * Records the end of a scan of the source, also of one that failed. Claims leave the source to
   * the next scan for a moment, and then read it from its beginning themselves.
   */
  synchronized void scanned(Source source) {
    toScan.remove(source);
  }

  /** Whether the map has a hint on the source. */
  synchronized boolean knows(Source source) {
    return sources.containsKey(source);
  }

  /** Whether a task was due in the source when it was last read, and may still be. */
  synchronized boolean isBusy(Source source) {
    Hint hint = sources.get(source);
    return hint != null && hint.isBusy();
  }

  /**
   * Records what a look saw in a range.
   *
   * @param heads the first waiting tasks of the range, in order
   * @param newsSeen {@link #newsCount} before the look
   * @param at when the look began
   */
  synchronized void saw(Range range, List<Head> heads, long newsSeen, long at) {
    Source source = range.source();
    if (newsOfEarlierDue > newsSeen) {
      return; // a task may have arrived before the first one that the look saw
    }
    Hint before = sources.get(source);
    if (before != null && before.wholeAt() - at > 0) {
      return; // a later scan, or look of another line, has read the whole source
    }
    long wholeAt = range.isWhole() || before == null ? at : before.wholeAt();
    long from = before != null && range.isWhole() ? before.from() : range.from();
    boolean mayHaveDue = newsOf(source.table()) > newsSeen;
    // Tasks before the range are known for at most a second.
    long quiet = range.isWhole() ? QUIET : WHOLE_LOOK;
    if (!heads.isEmpty()) {
      Head first = heads.get(0);
      from = Math.min(first.orderTime(), first.now()) - MARGIN_MS;
      long pauseMs = Math.min(Math.max(0, first.orderTime() - first.now()), LONG_PAUSE_MS);
      quiet = Math.min(quiet, at - wholeAt + TimeUnit.MILLISECONDS.toNanos(pauseMs));
      mayHaveDue |= first.isDue();
    }
    long quietUntil = mayHaveDue ? wholeAt : wholeAt + quiet;
    boolean isStale = before != null && !range.isWhole() && before.isStale();
    sources.put(source, new Hint(from, wholeAt, quietUntil, mayHaveDue, isStale));
  }

  /** Records that a claim has taken all due tasks of the range that were not locked. */
  synchronized void exhausted(Range range) {
    sources.computeIfPresent(
        range.source(),
        (source, hint) ->
            new Hint(hint.from(), hint.wholeAt(), hint.wholeAt(), false, hint.isStale()));
  }

  private long newsOf(TaskTable table) {
    return Math.max(newsOfAnything, newsOfTable.getOrDefault(table, 0L));
  }

  /** How many nanoseconds until one of the sources has to be looked at again; 0 for at once. */
  synchronized long nextLook(Collection<Source> wanted, long now) {
    long next = QUIET;
    for (Source source : wanted) {
      Hint hint = sources.get(source);
      next = hint == null ? 0 : Math.min(next, hint.quietUntil() - now);
    }
    return Math.max(0, next);
  }

  /**
   * Removes tables that are not live any more, and sources that were not looked at lately, once
   * there are many.
   */
  synchronized void retain(List<TaskTable> live, long now) {
    if (newsOfTable.size() > MANY) {
      newsOfTable.keySet().retainAll(live);
    }
    if (sources.size() > MANY) {
      sources.values().removeIf(hint -> hint.isOldAt(now));
    }
  }
}
