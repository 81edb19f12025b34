package io.asyncflow.flowsvr.operate.search;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.SearchOrder;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.operate.search.IndexRange.Index;
import io.asyncflow.flowsvr.operate.search.words.TaskFilter;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.index.SourceWalk;
import io.asyncflow.flowsvr.task.index.SourceWalk.Heads;
import io.asyncflow.flowsvr.task.index.TaskIndexStore;
import io.asyncflow.flowsvr.task.table.TaskFamily;
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

  private final SourceWalk walk;

  SearchPlan(ReadDatabase reads) {
    this.walk = new SourceWalk(new TaskIndexStore(reads.client(), reads::isOver));
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
            ? tables.map(table -> new IndexRange(table, index, null, null)).toList()
            : tables.flatMap(table -> ofUsers(table, filter.users())).toList(),
        true);
  }

  private static Stream<IndexRange> ofUsers(TaskTable table, Set<String> users) {
    return users.stream().map(user -> new IndexRange(table, Index.USER, null, user));
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

  private Ranges sources(TaskFilter filter, Collection<TaskFamily> families) {
    List<IndexRange> found = new ArrayList<>();
    List<Source> begins = new ArrayList<>();
    for (TaskFamily family : families) {
      for (TaskStatus status : filter.statuses()) {
        for (TaskTable table : status.isFinal() ? family.readable() : family.live()) {
          if (filter.stages().isEmpty()) {
            begins.add(Source.before(table, status));
          }
          for (String stage : filter.stages()) {
            Source open = new Source(table, status, stage, Lane.OPEN);
            found.add(IndexRange.ofSource(open));
            if (family.hasLanes()) {
              begins.add(open);
            }
          }
        }
      }
    }
    Heads heads = walk.heads(begins, MOST_RANGES - found.size());
    heads.list().forEach(head -> found.add(IndexRange.ofSource(head.source())));
    return cut(found, heads.cut().isEmpty());
  }
}
