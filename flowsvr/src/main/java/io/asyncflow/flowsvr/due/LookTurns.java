package io.asyncflow.flowsvr.due;

import io.asyncflow.flowsvr.due.DueStore.Sources;
import io.asyncflow.flowsvr.index.Source;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.rules.TaskTable;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The turns of the looks at one type that name no stage. If tasks wait for more stages than one
 * look can see, such looks see them one part after another.
 *
 * <p>Remembers where the next look begins and, for a second, which sources each part has; sources
 * with new tasks are seen ahead of their place. Times are {@link System#nanoTime()}. Thread-safe.
 */
final class LookTurns {

  /** How long the sources of a part are known. */
  private static final long KNOWN = TimeUnit.SECONDS.toNanos(1);

  /** The most sources with new tasks that a turn sees ahead of their place. */
  private static final int MAX_NEW = 50;

  private final Set<Source> newInTurn = new LinkedHashSet<>();
  private final Map<Source, Part> parts = new HashMap<>();
  private boolean isTurning;
  private Source position;
  private boolean foundDue;
  private long beganAt;
  private long news;
  private long partsForgotten;

  /** The sources of one look of a turn; the key of the map is the source behind which it begins. */
  private record Part(Set<Source> sources, Source last, List<TaskTable> live, long knownUntil) {}

  /**
   * Takes in news that name stages.
   *
   * @param newsNow the number of news up to these
   */
  synchronized void on(TasksWaiting waiting, long newsNow) {
    news = newsNow;
    if (!isTurning || waiting.tables().isEmpty()) {
      forgetParts();
      return;
    }
    for (TaskTable table : waiting.tables()) {
      for (String stage : waiting.stages()) {
        addToTurn(new Source(table, stage));
      }
    }
  }

  /**
   * Takes in news that may be of any stage.
   *
   * @param newsNow the number of news up to these
   */
  synchronized void onAnyStage(long newsNow) {
    news = newsNow;
    forgetParts();
  }

  private void addToTurn(Source source) {
    if (newInTurn.size() < MAX_NEW) {
      newInTurn.add(source);
    } else if (!newInTurn.contains(source) && !isInAnyPart(source)) {
      forgetParts(); // otherwise no look of the turn would see it
    }
  }

  private boolean isInAnyPart(Source source) {
    return parts.values().stream().anyMatch(part -> part.sources().contains(source));
  }

  private void forgetParts() {
    parts.clear();
    partsForgotten = news;
  }

  /** The part behind a source, with sources added since, if it was read within the last second. */
  synchronized Optional<Sources> partBehind(Source began, List<TaskTable> live, long now) {
    parts.values().removeIf(part -> now - part.knownUntil() >= 0 || !part.live().equals(live));
    return Optional.ofNullable(parts.get(began))
        .map(part -> new Sources(List.copyOf(part.sources()), part.last()));
  }

  /**
   * Records the part behind a source.
   *
   * @param newsSeen {@link DueMap#newsCount} before it was read
   */
  synchronized void sawPart(
      Source began, Sources part, List<TaskTable> live, long newsSeen, long at) {
    if (partsForgotten <= newsSeen) {
      Set<Source> sources = new LinkedHashSet<>(part.sources());
      parts.put(began, new Part(sources, part.last(), live, at + KNOWN));
    }
  }

  /** The source behind which the next look of the turn begins; empty at its beginning. */
  synchronized Optional<Source> position() {
    return Optional.ofNullable(position);
  }

  /**
   * Makes the next look see the same part again, because the claim took nothing. Another whole turn
   * follows the current one.
   *
   * @param taken the sources with new tasks that the look had taken
   */
  synchronized void resumeBehind(Source source, Set<Source> taken) {
    position = source;
    foundDue = true;
    returnNew(taken);
  }

  /** Puts back the sources with new tasks that a failed look had taken. */
  synchronized void returnNew(Set<Source> taken) {
    taken.forEach(this::addToTurn);
  }

  /** Begins a turn. */
  synchronized void begin(long now) {
    beganAt = now;
  }

  /** When the current turn began, or the last one if none is in progress. */
  synchronized long beganAt() {
    return beganAt;
  }

  /**
   * Takes the sources with new tasks, which are seen ahead of their place in the turn. Those that
   * are in no part are added to this one.
   */
  synchronized Set<Source> takeNew(Source began) {
    Set<Source> taken = new LinkedHashSet<>(newInTurn);
    newInTurn.clear();
    Part part = parts.get(began);
    if (part != null) {
      taken.stream().filter(source -> !isInAnyPart(source)).forEach(part.sources()::add);
      if (part.sources().size() > DueStore.SOURCES_A_LOOK + MAX_NEW) {
        forgetParts();
      }
    }
    return taken;
  }

  /**
   * Records that a look has seen a part of the sources.
   *
   * @param last the source behind which the next look begins; {@code null} at the end of the turn
   * @param hasDue whether a task was due in them
   * @return false if the turn has ended and has seen nothing due
   */
  synchronized boolean lookedUpTo(Source last, boolean hasDue) {
    isTurning = true;
    position = last;
    boolean isUnderWay = last != null || hasDue || foundDue;
    foundDue = last != null && (hasDue || foundDue);
    return isUnderWay;
  }

  /** Records that a look has seen all sources, so that no turns are needed. */
  synchronized void end() {
    isTurning = false;
    position = null;
    foundDue = false;
    newInTurn.clear();
    parts.clear();
  }
}
