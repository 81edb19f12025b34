package io.asyncflow.flowsvr.search;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.SearchOrder;
import io.asyncflow.flowsvr.search.IndexRange.Index;
import io.asyncflow.flowsvr.search.words.TaskFilter;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/**
 * Chooses the index that drives a search, and finds its ranges: one a table in the order of
 * creation, one a table and user, or one a source. A source is a table, a status, a stage and a
 * lane.
 */
@Component
class SearchPlan {

  /** The most ranges of a search; two entries of each are read at its begin. */
  static final int MOST_RANGES = 500;

  /** The most lanes of a stage. */
  static final int MOST_LANES = 64;

  /** The most steps of one statement. */
  private static final int STEPS_AT_ONCE = 50;

  /** After all lanes. */
  private static final String LAST_LANE = "~";

  private final SearchStore store;

  SearchPlan(SearchStore store) {
    this.store = store;
  }

  /**
   * The ranges of a search.
   *
   * @param isWhole whether these are all of them
   */
  record Ranges(List<IndexRange> ranges, boolean isWhole) {}

  /**
   * The order of a search that names none: what waits by its due time; what has another status, the
   * latest due time first; everything else by its creation.
   */
  static SearchOrder orderOf(TaskFilter filter) {
    if (filter.statuses().isEmpty() || !filter.users().isEmpty() || !filter.created().isAlways()) {
      return SearchOrder.NEWEST;
    }
    Set<TaskStatus> waiting = EnumSet.of(TaskStatus.WAITING, TaskStatus.PAUSED);
    return waiting.containsAll(filter.statuses()) ? SearchOrder.DUE : SearchOrder.LATEST_DUE;
  }

  static Index indexOf(TaskFilter filter, SearchOrder order) {
    return order != SearchOrder.NEWEST
        ? Index.CLAIM
        : filter.users().isEmpty() ? Index.PRIMARY : Index.USER;
  }

  Ranges ranges(TaskFilter filter, Index index, Collection<TaskFamily> families) {
    if (index == Index.CLAIM) {
      return sources(filter, families);
    }
    Stream<TaskTable> tables = tables(families);
    return cut(
        index == Index.PRIMARY
            ? tables.map(IndexRange::ofAll).toList()
            : tables.flatMap(table -> ofUsers(table, filter.users())).toList(),
        true);
  }

  private static Stream<IndexRange> ofUsers(TaskTable table, Set<String> users) {
    return users.stream().map(user -> IndexRange.ofUser(table, user));
  }

  private static Ranges cut(List<IndexRange> ranges, boolean areAll) {
    return ranges.size() <= MOST_RANGES
        ? new Ranges(ranges, areAll)
        : new Ranges(ranges.subList(0, MOST_RANGES), false);
  }

  /** The tables that can be read, the last of each type first. */
  private static Stream<TaskTable> tables(Collection<TaskFamily> families) {
    return families.stream()
        .flatMap(family -> family.readable().stream())
        .sorted(
            Comparator.comparingInt(TaskTable::number)
                .reversed()
                .thenComparing(table -> table.type().name()));
  }

  /** What is found of one status in one table. */
  private static final class Walk {
    private final TaskTable table;
    private final TaskStatus status;
    private final String onlyStage;
    private String stage;
    private String lane;
    private int lanes;

    private Walk(TaskTable table, TaskStatus status, String onlyStage) {
      this.table = table;
      this.status = status;
      this.onlyStage = onlyStage;
      this.stage = onlyStage == null ? "" : onlyStage;
      this.lane = Lane.OPEN;
    }
  }

  private Ranges sources(TaskFilter filter, Collection<TaskFamily> families) {
    List<IndexRange> found = new ArrayList<>();
    List<Walk> walks = new ArrayList<>();
    for (TaskFamily family : families) {
      for (TaskStatus status : filter.statuses()) {
        List<TaskTable> tables = status.isFinal() ? family.readable() : family.live();
        for (TaskTable table : tables) {
          begin(filter, family, table, status, found, walks);
        }
      }
    }
    boolean isWhole = true;
    while (!walks.isEmpty() && found.size() < MOST_RANGES) {
      List<Walk> group = walks.subList(0, Math.min(STEPS_AT_ONCE, walks.size()));
      List<Walk> next = new ArrayList<>(walks.subList(group.size(), walks.size()));
      for (SearchStore.Step step : store.steps(group.stream().map(SearchPlan::at).toList())) {
        Walk walk = group.get(step.place());
        isWhole &= goOn(walk, step, found);
        next.add(walk);
      }
      walks = next;
    }
    return cut(found, isWhole && walks.isEmpty());
  }

  private static void begin(
      TaskFilter filter,
      TaskFamily family,
      TaskTable table,
      TaskStatus status,
      List<IndexRange> found,
      List<Walk> walks) {
    if (filter.stages().isEmpty()) {
      walks.add(new Walk(table, status, null));
      return;
    }
    for (String stage : filter.stages()) {
      found.add(IndexRange.ofSource(table, status, stage, Lane.OPEN));
      if (family.hasLanes()) {
        walks.add(new Walk(table, status, stage));
      }
    }
  }

  private static SearchStore.Place at(Walk walk) {
    return new SearchStore.Place(
        walk.table, walk.status, walk.onlyStage != null, walk.stage, walk.lane);
  }

  /** Takes a step; false if it leaves out lanes. */
  private static boolean goOn(Walk walk, SearchStore.Step step, List<IndexRange> found) {
    walk.lanes = step.stage().equals(walk.stage) ? walk.lanes + 1 : 1;
    walk.stage = step.stage();
    walk.lane = step.lane();
    if (walk.lanes > MOST_LANES) {
      walk.lane = LAST_LANE;
      return false;
    }
    found.add(IndexRange.ofSource(walk.table, walk.status, step.stage(), step.lane()));
    return true;
  }
}
