package io.asyncflow.flowsvr.queue.due;

import io.asyncflow.flowsvr.queue.due.DueStore.Gap;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The sources in which tasks of one type wait, for looks that name no stage. If there are more than
 * one statement can read, such looks read one part after another, and begin behind the last one.
 *
 * <p>A part is known for a second, and longer on the only server, which publishes all news. If one
 * part has all sources, the scan makes it known for longer. News add to the parts; sources with new
 * tasks are read ahead of their place. Times are {@link System#nanoTime()}. Thread-safe.
 */
final class WaitingSources {

  private static final long KNOWN = TimeUnit.SECONDS.toNanos(1);

  /** By the scan, or by the only server; longer than a scan of a busy machine takes. */
  private static final long KNOWN_FOR_LONG = TimeUnit.SECONDS.toNanos(5);

  /** The most sources with new tasks that are read ahead of their place. */
  private static final int MAX_NEW = 50;

  /** Of the column: by code points. */
  private static final Comparator<String> DATABASE_ORDER =
      Comparator.comparing(name -> name.codePoints().toArray(), Arrays::compare);

  private final Map<Source, Part> parts = new HashMap<>();
  private final Set<Source> newSources = new LinkedHashSet<>();
  private long knownFor = KNOWN;
  private long timesForgotten;
  private Source position;

  /**
   * The sources of one look.
   *
   * @param began the source behind which it begins
   * @param last the source behind which the next part begins; {@code null} if this is the last part
   * @param live the type's live tables when it was read
   */
  record Part(
      Source began,
      Set<Source> sources,
      Source last,
      List<TaskTable> live,
      long seenAt,
      long knownUntil) {

    /** Whether it has all sources of the type. */
    boolean isAll() {
      return isFirst() && last == null;
    }

    boolean isFirst() {
      return began.stage().isEmpty();
    }

    private Part with(Source source) {
      Set<Source> more = new LinkedHashSet<>(sources);
      more.add(source);
      return new Part(began, more, last, live, seenAt, knownUntil);
    }

    private List<Gap> gaps() {
      List<Gap> gaps = new ArrayList<>();
      for (TaskTable table : live) {
        String after = "";
        for (String stage : stagesIn(table)) {
          gaps.add(new Gap(table, after, stage));
          after = stage;
        }
        gaps.add(new Gap(table, after, null));
      }
      return gaps;
    }

    private List<String> stagesIn(TaskTable table) {
      return sources.stream()
          .filter(source -> source.table().equals(table))
          .map(Source::stage)
          .sorted(DATABASE_ORDER)
          .toList();
    }
  }

  /** Sets whether this server is the only one, so that no other server adds sources. */
  synchronized void soleServer(boolean isSole) {
    knownFor = isSole ? KNOWN_FOR_LONG : KNOWN;
  }

  /** Takes in news: tasks may have become claimable. */
  synchronized void on(TasksWaiting news) {
    if (news.tables().isEmpty() || news.stages().isEmpty()) {
      forget();
    }
    for (TaskTable table : news.tables()) {
      news.stages().forEach(stage -> add(new Source(table, stage)));
    }
  }

  private void add(Source source) {
    Part all = parts.values().stream().filter(Part::isAll).findFirst().orElse(null);
    if (all != null) {
      addTo(all, source);
    } else if (newSources.size() < MAX_NEW) {
      newSources.add(source);
    } else if (!newSources.contains(source) && !isInAnyPart(source)) {
      forget(); // otherwise no look would see it
    }
  }

  private void addTo(Part part, Source source) {
    if (part.sources().size() > DueStore.SOURCES_A_LOOK + MAX_NEW) {
      forget();
    } else if (!part.sources().contains(source)) {
      parts.put(part.began(), part.with(source));
    }
  }

  private boolean isInAnyPart(Source source) {
    return parts.values().stream().anyMatch(part -> part.sources().contains(source));
  }

  /** Makes the next look read its part anew. */
  synchronized void forget() {
    parts.clear();
    newSources.clear();
    timesForgotten++;
  }

  /** How often parts were forgotten. Read before a part is, it tells whether that is outdated. */
  synchronized long timesForgotten() {
    return timesForgotten;
  }

  /** The source behind which the next look begins. */
  synchronized Source position(List<TaskTable> live) {
    return position == null ? new Source(live.get(0), "") : position;
  }

  /** The part of the next look; empty if it has to be read. */
  synchronized Optional<Part> next(List<TaskTable> live, long now) {
    parts.values().removeIf(part -> now - part.knownUntil() >= 0 || !part.live().equals(live));
    return Optional.ofNullable(parts.get(position(live)));
  }

  /** The part that has all sources; empty if they have to be read, or are too many. */
  synchronized Optional<Part> all(List<TaskTable> live, long now) {
    return next(live, now).filter(Part::isAll);
  }

  /**
   * Records a part that was read.
   *
   * @param began the source behind which it begins
   * @param timesForgotten {@link #timesForgotten()} before it was read
   * @param at when it was read
   */
  synchronized Part saw(
      Source began, DueStore.Sources read, List<TaskTable> live, long timesForgotten, long at) {
    Set<Source> sources = new LinkedHashSet<>(read.sources());
    Part part = new Part(began, sources, read.last(), live, at, at + knownFor);
    if (timesForgotten == this.timesForgotten) {
      parts.putIfAbsent(began, part); // news may have added to the one that is there
    }
    return parts.getOrDefault(began, part);
  }

  /**
   * Begins a look at a part.
   *
   * @return the sources with new tasks that it reads, too; those that are in no part are added to
   *     this one
   */
  synchronized Set<Source> begin(Part part) {
    Set<Source> taken = new LinkedHashSet<>(newSources);
    newSources.clear();
    for (Source source : taken) {
      Part known = parts.get(part.began());
      if (known != null && !isInAnyPart(source)) {
        addTo(known, source);
      }
    }
    return taken;
  }

  /**
   * Sets where the next look begins.
   *
   * @param last the source behind which it begins; {@code null} for the first part
   */
  synchronized void goOnBehind(Source last) {
    position = last;
  }

  /**
   * The gaps between the stages of each table: while no task waits in any of them, these are all
   * the stages. None if not all sources are known, or if they were seen lately.
   *
   * @param ageNanos how long ago they were seen, at least
   */
  synchronized List<Gap> gapsToScan(List<TaskTable> live, long ageNanos, long now) {
    return all(live, now)
        .filter(part -> now - part.seenAt() >= ageNanos)
        .map(Part::gaps)
        .orElse(List.of());
  }

  /**
   * Records that a scan has seen the gaps.
   *
   * @param areAll whether no task waits in any of them
   * @param at when the scan began
   */
  synchronized void scannedGaps(List<Gap> gaps, boolean areAll, long at) {
    if (!areAll) {
      forget();
      return;
    }
    parts.replaceAll(
        (began, part) ->
            part.isAll() && part.gaps().equals(gaps)
                ? new Part(began, part.sources(), null, part.live(), at, at + KNOWN_FOR_LONG)
                : part);
  }
}
