package io.asyncflow.flowsvr.due;

import io.asyncflow.flowsvr.due.DueStore.Gap;
import io.asyncflow.flowsvr.due.DueStore.Sources;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * What is due, as far as is known, in the sources of one type: so that claims leave alone what has
 * nothing for them. It learns from claims and looks, from news, and from the {@link DueScan}.
 *
 * <ul>
 *   <li>A source in which nothing is due is quiet until the next of its tasks is due, or until
 *       there is news of it. So an old table with a straggler, or with a hundred thousand delayed
 *       tasks, costs claims on the tables behind it nothing.
 *   <li>A claim begins at the due time below which nothing was waiting: what others took leaves
 *       deleted entries there, which a long transaction anywhere in the database keeps. A margin
 *       leaves room for creates that commit late.
 *   <li>Whatever comes without news (from another server, or by SQL) is found by the scan, which
 *       looks at the sources that somebody waits for from their very beginning. A source in which
 *       claims go on is scanned once a second; they begin where they began until that is done, for
 *       the scan passes all that was left there.
 *   <li>Nothing relies on the scan alone: what it has not seen for ten seconds is looked at by the
 *       next claim, as is a source to which claims come back after a pause.
 * </ul>
 *
 * <p>Where tasks wait for too many stages for one look, those that name none see some at a time,
 * and go round and round: this knows where the next one goes on, and for a second which they are.
 *
 * <p>A hint never makes a hold take a wrong task, only a due one a little later. Times are {@link
 * System#nanoTime()}. Thread-safe.
 */
final class DueMap {

  /** How long a source in which claims go on is known from its beginning. */
  private static final long WHOLE_LOOK = TimeUnit.SECONDS.toNanos(1);

  /** How long a quiet source stays so without another look. */
  private static final long QUIET = TimeUnit.SECONDS.toNanos(10);

  /** How long the stages of a table are known; for longer on a server that makes all the news. */
  private static final long STAGES = TimeUnit.SECONDS.toNanos(1);

  private static final long STAGES_OF_SOLE_SERVER = TimeUnit.SECONDS.toNanos(5);

  /** Whoever claims later than this after a whole look makes the next one himself. */
  private static final long CLAIMS_GO_ON = TimeUnit.SECONDS.toNanos(2);

  /** Of a table with more stages the scan does not find out whether there is another one. */
  private static final int MOST_GAPS = 20;

  /** Of the column: by code points. */
  private static final Comparator<String> DATABASE_ORDER =
      Comparator.comparing(name -> name.codePoints().toArray(), Arrays::compare);

  private static final long LONG_PAUSE_MS = 60_000;
  private static final long MARGIN_MS = 250;
  private static final int MANY = 1_000;

  /** Sources with news that a turn looks at before it comes to them, at once. */
  private static final int MOST_NEW = 50;

  private final Map<Source, Hint> sources = new HashMap<>();
  private final Map<TaskTable, Stages> stages = new HashMap<>();
  private final Map<TaskTable, Long> newsOfTable = new HashMap<>();
  private final Set<Source> toScan = new HashSet<>();
  private long news;
  private long newsOfAnything;
  private long earlierArrival;
  private boolean isTurning;
  private Source turnGoesOnBehind;
  private boolean turnFoundDue;
  private long turnBeganAt;
  private final Set<Source> newInTurn = new LinkedHashSet<>();
  private final Map<Source, Part> parts = new HashMap<>();
  private long partsForgotten;
  private long stagesKnownFor = STAGES;

  /**
   * @param from nothing waits that is due earlier
   * @param wholeAt when it was looked at from its beginning
   * @param quietUntil nothing is due before, as far as is known; in the past if something may be
   *     due now
   * @param isStale whether something waits by now that may be due earlier than {@code from}
   */
  private record Hint(long from, long wholeAt, long quietUntil, boolean isStale) {

    boolean isOldAt(long now) {
      return now - wholeAt >= WHOLE_LOOK;
    }

    boolean isBusy() {
      return quietUntil == wholeAt && !isStale;
    }
  }

  private record Stages(Set<String> names, long seenAt, long knownUntil) {}

  /** The sources of one look of a turn, which begins behind the one that it is known by. */
  private record Part(Set<Source> sources, Source last, List<TaskTable> live, long knownUntil) {}

  /** Whether this server makes all the news; then no other one adds stages. */
  synchronized void soleServer(boolean isSole) {
    stagesKnownFor = isSole ? STAGES_OF_SOLE_SERVER : STAGES;
  }

  /** Counts the news; taken before a look, it tells what the look cannot have seen. */
  synchronized long newsCount() {
    return news;
  }

  /** Something waits that did not before. */
  synchronized void on(TasksWaiting waiting) {
    news++;
    if (waiting.tables().isEmpty()) {
      newsOfAnything = news;
    }
    waiting.tables().forEach(table -> newsOfTable.put(table, news));
    if (!waiting.dueFromNowOn()) {
      earlierArrival = news;
    }
    if (waiting.stages().isEmpty()) {
      stages.keySet().removeIf(table -> concerns(waiting, table));
      forgetParts();
    } else {
      stages.replaceAll(
          (table, known) -> concerns(waiting, table) ? with(known, waiting.stages()) : known);
      stages.values().removeIf(known -> known.names().size() > DueStore.SOURCES_A_LOOK);
      addToTheTurn(waiting);
    }
    sources.replaceAll(
        (source, hint) -> {
          boolean isConcerned =
              concerns(waiting, source.table())
                  && (waiting.stages().isEmpty() || waiting.stages().contains(source.stage()));
          return isConcerned ? afterNews(hint, waiting.dueFromNowOn()) : hint;
        });
  }

  private static boolean concerns(TasksWaiting waiting, TaskTable table) {
    return waiting.tables().isEmpty() || waiting.tables().contains(table);
  }

  private static Stages with(Stages known, Set<String> more) {
    Set<String> names = new TreeSet<>(known.names());
    return names.addAll(more) ? new Stages(names, known.seenAt(), known.knownUntil()) : known;
  }

  private static Hint afterNews(Hint hint, boolean dueFromNowOn) {
    boolean isStale = hint.isStale() || !dueFromNowOn;
    return new Hint(hint.from(), hint.wholeAt(), hint.wholeAt(), isStale);
  }

  private void addToTheTurn(TasksWaiting waiting) {
    if (!isTurning || waiting.tables().isEmpty()) {
      forgetParts();
      return;
    }
    for (TaskTable table : waiting.tables()) {
      for (String stage : waiting.stages()) {
        addToTheTurn(new Source(table, stage));
      }
    }
  }

  private void addToTheTurn(Source source) {
    if (newInTurn.size() < MOST_NEW) {
      newInTurn.add(source);
    } else if (!newInTurn.contains(source) && !isInAPart(source)) {
      forgetParts(); // or it would have no turn
    }
  }

  private boolean isInAPart(Source source) {
    return parts.values().stream().anyMatch(part -> part.sources().contains(source));
  }

  private void forgetParts() {
    parts.clear();
    partsForgotten = news;
  }

  /**
   * The sources of the look behind this one, if they were looked up within the last second; what
   * came since is among them.
   */
  synchronized Optional<Sources> partBehind(Source began, List<TaskTable> live, long now) {
    parts.values().removeIf(part -> now - part.knownUntil() >= 0 || !part.live().equals(live));
    return Optional.ofNullable(parts.get(began))
        .map(part -> new Sources(List.copyOf(part.sources()), part.last()));
  }

  /**
   * The sources of the look behind this one.
   *
   * @param newsSeen {@link #newsCount} before they were looked up
   */
  synchronized void sawPart(
      Source began, Sources part, List<TaskTable> live, long newsSeen, long at) {
    if (partsForgotten <= newsSeen) {
      Set<Source> sources = new LinkedHashSet<>(part.sources());
      parts.put(began, new Part(sources, part.last(), live, at + WHOLE_LOOK));
    }
  }

  /**
   * Behind which source looks at all stages go on, where there are too many for one look; empty at
   * the beginning.
   */
  synchronized Optional<Source> goOnBehind() {
    return Optional.ofNullable(turnGoesOnBehind);
  }

  /**
   * A look at some of too many sources did not get to anything: the next one looks at the same, and
   * a whole turn follows this one.
   *
   * @param news what it took of the news
   */
  synchronized void goOnBehind(Source source, Set<Source> news) {
    turnGoesOnBehind = source;
    turnFoundDue = true;
    giveBackNew(news);
  }

  /** A look has failed to see what it took of the news. */
  synchronized void giveBackNew(Set<Source> taken) {
    taken.forEach(this::addToTheTurn);
  }

  /** A look begins with the first of too many sources. */
  synchronized void turnBegins(long now) {
    turnBeganAt = now;
  }

  /** When the turn that is under way began, or that ended last. */
  synchronized long turnBeganAt() {
    return turnBeganAt;
  }

  /**
   * What came while there were too many stages for one look, once; it need not wait its turn. What
   * is in no part is from now on in this one.
   */
  synchronized Set<Source> takeNew(Source began) {
    Set<Source> taken = new LinkedHashSet<>(newInTurn);
    newInTurn.clear();
    Part part = parts.get(began);
    if (part != null) {
      taken.stream().filter(source -> !isInAPart(source)).forEach(part.sources()::add);
      if (part.sources().size() > DueStore.SOURCES_A_LOOK + MOST_NEW) {
        forgetParts();
      }
    }
    return taken;
  }

  /**
   * A look has seen some of too many sources.
   *
   * @param last where the next one goes on; {@code null} if that was the end of the turn
   * @param hasDue whether anything was due in them
   * @return false at the end of a turn that has seen nothing due
   */
  synchronized boolean lookedUpTo(Source last, boolean hasDue) {
    isTurning = true;
    turnGoesOnBehind = last;
    boolean isUnderWay = last != null || hasDue || turnFoundDue;
    turnFoundDue = last != null && (hasDue || turnFoundDue);
    return isUnderWay;
  }

  /** A look has seen all sources, so that there are no turns. */
  synchronized void fitsIntoALook() {
    isTurning = false;
    turnGoesOnBehind = null;
    turnFoundDue = false;
    newInTurn.clear();
    parts.clear();
  }

  /** The stages that any task of the table waits for; empty if that has to be looked up. */
  synchronized Optional<Set<String>> stagesOf(TaskTable table, long now) {
    return Optional.ofNullable(stages.get(table))
        .filter(known -> known.knownUntil() - now > 0)
        .map(Stages::names);
  }

  /** The same, for a caller that must not rely on the scan. */
  synchronized Optional<Set<String>> freshStagesOf(TaskTable table, long now) {
    return Optional.ofNullable(stages.get(table))
        .filter(known -> now - known.seenAt() < stagesKnownFor)
        .map(Stages::names);
  }

  /**
   * The gaps between the stages that are known of a table: while no task waits in any of them,
   * these are all the stages. None if the stages are not known, or too many, or were seen lately.
   *
   * @param ageNanos how long ago they were seen, at least
   */
  synchronized List<Gap> gapsToScan(TaskTable table, long ageNanos, long now) {
    Stages known = stages.get(table);
    if (known == null
        || known.knownUntil() - now <= 0
        || known.names().size() > MOST_GAPS
        || now - known.seenAt() < ageNanos) {
      return List.of();
    }
    List<Gap> gaps = new ArrayList<>();
    String after = "";
    for (String name : known.names().stream().sorted(DATABASE_ORDER).toList()) {
      gaps.add(new Gap(table, after, name));
      after = name;
    }
    gaps.add(new Gap(table, after, null));
    return gaps;
  }

  /**
   * A scan has seen the gaps between the known stages of a table.
   *
   * @param areAll whether no task waits in any of them
   * @param newsSeen {@link #newsCount} before the scan
   * @param at when the scan began
   */
  synchronized void scannedGaps(TaskTable table, boolean areAll, long newsSeen, long at) {
    if (!areAll) {
      stages.remove(table);
    } else if (newsOf(table) <= newsSeen) {
      stages.computeIfPresent(table, (t, known) -> new Stages(known.names(), at, at + QUIET));
    }
  }

  /**
   * @param newsSeen {@link #newsCount} before they were looked up
   */
  synchronized void sawStages(TaskTable table, Collection<String> names, long newsSeen, long at) {
    if (newsOf(table) <= newsSeen) {
      stages.put(table, new Stages(Set.copyOf(names), at, at + stagesKnownFor));
    }
  }

  /** What to look at now of a source; empty if it is quiet. */
  synchronized Optional<Range> rangeOf(Source source, long now) {
    Hint hint = sources.get(source);
    boolean isQuiet = hint != null && hint.quietUntil() - now > 0;
    return isQuiet ? Optional.empty() : Optional.of(requiredRange(source, now));
  }

  /** The same for who must not rely on it that the source is quiet. */
  synchronized Range requiredRange(Source source, long now) {
    Hint hint = sources.get(source);
    boolean isWhole =
        hint == null || hint.isStale() || hint.isOldAt(now) && !isLeftToTheScan(source, hint, now);
    return isWhole ? Range.whole(source) : new Range(source, hint.from());
  }

  private boolean isLeftToTheScan(Source source, Hint hint, long now) {
    return hint.isBusy() && (toScan.contains(source) || now - hint.wholeAt() < CLAIMS_GO_ON);
  }

  /** A claim goes on in the source behind what others took. */
  synchronized void claimedFrom(Source source, long now) {
    Hint hint = sources.get(source);
    if (hint != null && hint.isBusy() && hint.isOldAt(now) && isLeftToTheScan(source, hint, now)) {
      toScan.add(source);
    }
  }

  /** The sources in which claims go on, and which were not seen from their beginning lately. */
  synchronized Set<Source> busyToScan() {
    return Set.copyOf(toScan);
  }

  /**
   * Those of the sources that are quiet, or unknown, and were not seen from their beginning for a
   * while. What is due there, or was, is known to whoever waits for it.
   *
   * @param ageNanos how long ago they were seen, at least
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
   * The scan of the source is over. If it failed, the next one is tried a second later all the
   * same: claims would do no better.
   *
   * @param at when it began
   */
  synchronized void scanned(Source source, long at) {
    toScan.remove(source);
    sources.computeIfPresent(
        source,
        (s, hint) ->
            hint.isBusy() && hint.isOldAt(at) ? new Hint(hint.from(), at, at, false) : hint);
  }

  /** Whether anything is remembered of the source. */
  synchronized boolean knows(Source source) {
    return sources.containsKey(source);
  }

  /** Whether something was due in the source when it was last looked at, and may still be. */
  synchronized boolean isBusy(Source source) {
    Hint hint = sources.get(source);
    return hint != null && hint.isBusy();
  }

  /**
   * Takes down what a look at a range saw.
   *
   * @param heads of this range, in order
   * @param newsSeen {@link #newsCount} before the look
   * @param at when the look began
   */
  synchronized void saw(Range range, List<Head> heads, long newsSeen, long at) {
    Source source = range.source();
    if (earlierArrival > newsSeen) {
      return; // what the look says of the beginning may be wrong by now
    }
    Hint before = sources.get(source);
    if (before != null && before.wholeAt() - at > 0) {
      return; // a scan, or a look of another line, has seen all of it, and later
    }
    long wholeAt = range.isWhole() || before == null ? at : before.wholeAt();
    long from = before != null && range.isWhole() ? before.from() : range.from();
    // What is below the range is known for no longer than a second.
    long quiet = range.isWhole() ? QUIET : WHOLE_LOOK;
    if (!heads.isEmpty()) {
      Head first = heads.get(0);
      from = Math.min(first.orderTime(), first.now()) - MARGIN_MS;
      long pauseMs = Math.min(Math.max(0, first.orderTime() - first.now()), LONG_PAUSE_MS);
      quiet =
          first.isDue()
              ? 0
              : Math.min(quiet, at - wholeAt + TimeUnit.MILLISECONDS.toNanos(pauseMs));
    }
    boolean isOutdated = newsOf(source.table()) > newsSeen;
    boolean isStale = before != null && !range.isWhole() && before.isStale();
    sources.put(source, new Hint(from, wholeAt, isOutdated ? wholeAt : wholeAt + quiet, isStale));
  }

  /** A claim has taken all that was due in the range, as far as it could see. */
  synchronized void exhausted(Range range) {
    sources.computeIfPresent(
        range.source(),
        (source, hint) ->
            new Hint(hint.from(), hint.wholeAt(), hint.wholeAt() + 1, hint.isStale()));
  }

  private long newsOf(TaskTable table) {
    return Math.max(newsOfAnything, newsOfTable.getOrDefault(table, 0L));
  }

  /**
   * When the sources want to be looked at again.
   *
   * @param wanted only these stages; empty for all
   * @return in how many ns; 0 if at once
   */
  synchronized long nextLook(List<TaskTable> live, Set<String> wanted, long now) {
    long next = QUIET;
    for (TaskTable table : live) {
      Collection<String> names = wanted;
      if (wanted.isEmpty()) {
        Stages known = stages.get(table);
        if (known == null) {
          return 0;
        }
        next = Math.min(next, known.knownUntil() - now);
        names = known.names();
      }
      for (String stage : names) {
        Hint hint = sources.get(new Source(table, stage));
        if (hint == null) {
          return 0;
        }
        next = Math.min(next, hint.quietUntil() - now);
      }
    }
    return Math.max(0, next);
  }

  /** Forgets tables that are not live any more, and stages that nobody has asked for lately. */
  synchronized void retain(List<TaskTable> live, long now) {
    if (newsOfTable.size() > MANY || stages.size() > MANY) {
      newsOfTable.keySet().retainAll(live);
      stages.keySet().retainAll(live);
    }
    if (sources.size() > MANY) {
      sources.values().removeIf(hint -> hint.isOldAt(now));
    }
  }
}
