package io.asyncflow.flowsvr.task.index;

import io.asyncflow.rules.TaskTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Goes through the stages and lanes that have tasks of a status, each time to the next one, many
 * tables at a time. What follows the sources of the last time is asked for together, so there are
 * further questions only where a stage or a lane is new. Thread-safe.
 */
public final class SourceWalk {

  /** The most lanes of a stage in a table that are found. */
  public static final int LANES = 64;

  /** The most sources of one status in a table that are found. */
  private static final int SOURCES = 256;

  private static final int MOST_REMEMBERED = 1_000;

  /** The lanes of a stage are names in ASCII, so this is behind all of them. */
  private static final String LAST_LANE = "~";

  private final TaskIndexStore store;

  /** The sources that were found the last time, by where the way began. */
  private final Map<Source, List<Source>> remembered = new ConcurrentHashMap<>();

  public SourceWalk(TaskIndexStore store) {
    this.store = store;
  }

  /**
   * What was found.
   *
   * @param list the first task of each source
   * @param cut the tables in which there is more, or may be
   */
  public record Heads(List<Head> list, Set<TaskTable> cut) {

    /** The database's epoch ms when they were read; empty if there is none. */
    public OptionalLong now() {
      return list.stream().mapToLong(Head::now).findFirst();
    }
  }

  private static final class Way {
    private final Source begin;
    private final List<Source> passed = new ArrayList<>();
    private Source at;
    private int lanes;

    private Way(Source begin) {
      this.begin = begin;
      this.at = begin;
    }

    /** Goes on to a source; false if it ends there. */
    private boolean to(Head next, Heads found) {
      Source source = next.source();
      boolean isInStage = source.stage().equals(at.stage());
      if (!isInStage && !begin.stage().isEmpty()) {
        return false;
      }
      lanes = isInStage ? lanes + 1 : 1;
      if (lanes > LANES) {
        at = new Source(source.table(), source.status(), source.stage(), LAST_LANE);
        found.cut().add(source.table());
      } else {
        at = source;
        found.list().add(next);
      }
      passed.add(at);
      if (passed.size() == SOURCES) {
        found.cut().add(source.table());
      }
      return passed.size() < SOURCES;
    }
  }

  /**
   * The first task of each source that follows these, in their tables; of one with a stage, in that
   * stage alone.
   *
   * @param most so many are enough
   */
  public Heads heads(Collection<Source> begins, int most) {
    Heads found = new Heads(new ArrayList<>(), new HashSet<>());
    Map<Source, Head> following = new HashMap<>();
    Set<Source> asked = new HashSet<>();
    Queue<Way> open = new ArrayDeque<>(begins.stream().map(Way::new).toList());
    while (!open.isEmpty() && found.list().size() < most && !store.isOver()) {
      List<Way> some = new ArrayList<>();
      Set<Source> toAsk = new LinkedHashSet<>();
      while (!open.isEmpty() && toAsk.size() < TaskIndexStore.PARTS) {
        Way way = open.remove();
        some.add(way);
        toAsk.add(way.at);
        if (way.at == way.begin) {
          toAsk.addAll(remembered.getOrDefault(way.begin, List.of()));
        }
      }
      following.putAll(store.next(toAsk));
      asked.addAll(toAsk);
      for (Way way : some) {
        Head next = following.get(way.at);
        while (next != null && way.to(next, found)) {
          next = following.get(way.at);
        }
        if (next == null && !asked.contains(way.at)) {
          open.add(way);
        } else {
          remember(way);
        }
      }
    }
    open.forEach(way -> found.cut().add(way.begin.table()));
    return found;
  }

  private void remember(Way way) {
    if (remembered.size() > MOST_REMEMBERED) {
      remembered.clear();
    }
    remembered.put(way.begin, List.copyOf(way.passed));
  }
}
