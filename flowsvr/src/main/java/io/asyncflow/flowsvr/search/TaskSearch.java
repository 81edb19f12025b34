package io.asyncflow.flowsvr.search;

import static io.asyncflow.flowsvr.tasktable.Freshness.RECENT;

import io.asyncflow.api.Task;
import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.SearchOrder;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.number.NumberTime;
import io.asyncflow.flowsvr.search.IndexRange.Index;
import io.asyncflow.flowsvr.search.RangeMerge.Bounds;
import io.asyncflow.flowsvr.search.RangeMerge.Seen;
import io.asyncflow.flowsvr.search.SearchStore.JobHead;
import io.asyncflow.flowsvr.search.SearchStore.Look;
import io.asyncflow.flowsvr.search.words.TaskFilter;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.task.AnswerRoom;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.flowsvr.web.read.InvalidFieldException;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.springframework.stereotype.Service;

/**
 * Finds tasks, page by page. A page looks at a bounded number of entries for a bounded time, and
 * says how far it came; a page without tasks that has a cursor is no end. Thread-safe.
 */
@Service
class TaskSearch {

  /** The most entries of a page. */
  static final int MOST_LOOKED = 20_000;

  /** The most tasks of a page whose texts are read. */
  static final int MOST_TEXTS = 2_000;

  private static final int LONGEST_PIECE = 5_000;

  /** The longest piece where each entry leads to a row that lies elsewhere. */
  private static final int LONGEST_PIECE_OF_ROWS = 1_000;

  private static final int LONGEST_PIECE_OF_TEXTS = 250;

  private static final long TIME_OVER = TimeUnit.MILLISECONDS.toNanos(200);

  private static final String BY_IDS = "PRIMARY";
  private static final String BY_JOB = "t_job_task";

  private final SearchPlan plan;
  private final SearchStore store;
  private final TaskFamilies families;
  private final TaskTypes types;
  private final Node node;

  TaskSearch(
      SearchPlan plan, SearchStore store, TaskFamilies families, TaskTypes types, Node node) {
    this.plan = plan;
    this.store = store;
    this.families = families;
    this.types = types;
    this.node = node;
  }

  /**
   * A search.
   *
   * @param order {@code null} for the one that suits the filter
   * @param cursor {@code null} for the first page
   */
  record Request(TaskFilter filter, SearchOrder order, int limit, String cursor) {}

  /**
   * A page of a search.
   *
   * @throws InvalidFieldException if the cursor is none of this search
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if a type is not configured
   */
  FoundTasks search(Request request, Caller caller) {
    TaskFilter filter = request.filter();
    filter.types().forEach(types::require);
    if (!filter.ids().isEmpty()) {
      refuseCursor(request);
      List<TaskId> ids = filter.ids().stream().filter(id -> sees(id, caller)).toList();
      List<Task> tasks = tasks(ids, filter, caller);
      return new FoundTasks(tasks, null, ids.size(), null, true, BY_IDS);
    }
    if (filter.jobId() != null) {
      return ofJob(request, caller);
    }
    return ofRanges(request, caller);
  }

  private static boolean sees(TaskId id, Caller caller) {
    return caller.seesType(id.type().name());
  }

  private static void refuseCursor(Request request) {
    if (request.cursor() != null) {
      throw badCursor();
    }
  }

  private static InvalidFieldException badCursor() {
    return new InvalidFieldException("cursor", "must be a nextCursor of the same search");
  }

  /** The split and the merge of a job come first, then its children in their order. */
  private FoundTasks ofJob(Request request, Caller caller) {
    long jobId = request.filter().jobId();
    JobHead job = JobMaps.head(store, jobId, caller);
    int from = request.cursor() == null ? 0 : indexOf(request.cursor());
    List<TaskId> ids = new ArrayList<>(request.cursor() == null ? job.own() : List.of());
    store
        .children(jobId, job.childType(), from, request.limit())
        .forEach(child -> ids.add(child.task()));
    int next = from + request.limit();
    List<Task> tasks = tasks(ids, request.filter(), caller);
    boolean isEnd = next >= job.released();
    return new FoundTasks(tasks, isEnd ? null : "J" + next, ids.size(), null, isEnd, BY_JOB);
  }

  private static int indexOf(String cursor) {
    if (!cursor.matches("J[0-9]{1,8}")) {
      throw badCursor();
    }
    return Integer.parseInt(cursor.substring(1));
  }

  private FoundTasks ofRanges(Request request, Caller caller) {
    TaskFilter filter = request.filter();
    SearchOrder order = request.order() == null ? SearchPlan.orderOf(filter) : request.order();
    Position after =
        request.cursor() == null
            ? null
            : Position.parse(request.cursor(), order).orElseThrow(TaskSearch::badCursor);
    Index index = SearchPlan.indexOf(filter, order);
    SearchPlan.Ranges ranges = plan.ranges(filter, index, read(filter, caller));
    boolean readsTexts = !filter.texts().isEmpty();
    RangeMerge merge =
        new RangeMerge(
            store,
            ranges.ranges(),
            new Look(filter, order, after),
            new Bounds(
                longestPiece(filter, index),
                readsTexts ? MOST_TEXTS : MOST_LOOKED,
                request.limit(),
                TIME_OVER),
            node::nanoTime);
    List<TaskId> found = new ArrayList<>();
    Position last = after;
    int looked = 0;
    while (!merge.isOver() && found.size() < request.limit()) {
      Seen seen = merge.next();
      if (seen == null) {
        break;
      }
      looked++;
      last = seen.entry().at();
      if (seen.entry().fits()) {
        found.add(new TaskId(last.number(), seen.table()));
      }
    }
    boolean isEnd = merge.isOver();
    return new FoundTasks(
        tasks(found, filter, caller),
        isEnd || last == null ? null : last.cursor(order),
        looked,
        looked == 0 ? null : timeOf(last, order),
        isEnd && ranges.isWhole(),
        index.sqlName());
  }

  private static long timeOf(Position at, SearchOrder order) {
    return order == SearchOrder.NEWEST ? NumberTime.of(at.number()) : at.order();
  }

  private static int longestPiece(TaskFilter filter, Index index) {
    if (!filter.texts().isEmpty()) {
      return LONGEST_PIECE_OF_TEXTS;
    }
    boolean testsRows =
        !filter.workers().isAll() || filter.retriesAbove() != null || filter.retriesBelow() != null;
    boolean isElsewhere =
        switch (index) {
          case PRIMARY -> false;
          case USER ->
              testsRows
                  || !filter.statuses().isEmpty()
                  || !filter.stages().isEmpty()
                  || !filter.due().isAlways();
          case CLAIM -> testsRows || !filter.users().isEmpty();
        };
    return isElsewhere ? LONGEST_PIECE_OF_ROWS : LONGEST_PIECE;
  }

  /** The families that the search reads: of the types that it names, and that the caller sees. */
  private Collection<TaskFamily> read(TaskFilter filter, Caller caller) {
    Predicate<TaskFamily> isNamed =
        family -> filter.types().isEmpty() || filter.types().contains(family.type());
    return families.all(RECENT).stream()
        .filter(isNamed)
        .filter(family -> caller.seesType(family.type().name()))
        .toList();
  }

  /**
   * The tasks with these ids, in their order: those that fit by now, and whose user the caller
   * sees. Those that the answer has no room for lack their logs.
   */
  private List<Task> tasks(List<TaskId> ids, TaskFilter filter, Caller caller) {
    Map<TaskId, TaskRow> rows = rows(ids, filter);
    List<Task> tasks = new ArrayList<>();
    AnswerRoom room = new AnswerRoom();
    for (TaskId id : ids) {
      TaskRow row = rows.get(id);
      if (row == null || !filter.fits(row) || !caller.seesUser(row.userId())) {
        continue;
      }
      // The tasks of a type whose configuration was deleted still exist, but are not listed.
      Optional<Task> task = types.find(id.type()).map(row::toTask);
      boolean showsLog = caller.may(Verb.CONTEXT_READ) && room.take(AnswerRoom.bytesOf(row));
      task.map(whole -> showsLog ? whole : whole.withoutContents()).ifPresent(tasks::add);
    }
    return tasks;
  }

  private Map<TaskId, TaskRow> rows(List<TaskId> ids, TaskFilter filter) {
    Map<TaskTable, List<Long>> numbers = new LinkedHashMap<>();
    for (TaskId id : ids) {
      numbers.computeIfAbsent(id.table(), table -> new ArrayList<>()).add(id.number());
    }
    Set<TaskTable> existing = families.existing(new HashSet<>(numbers.keySet()), RECENT);
    boolean mustTestTexts =
        !filter.texts().isEmpty() && (!filter.ids().isEmpty() || filter.jobId() != null);
    Map<TaskId, TaskRow> rows = new HashMap<>();
    numbers.forEach(
        (table, ofTable) -> {
          if (existing.contains(table)) {
            Collection<Long> wanted =
                mustTestTexts ? store.withTexts(table, ofTable, filter.texts()) : ofTable;
            if (!wanted.isEmpty()) {
              store.rows(table, wanted).forEach(row -> rows.put(row.id(), row));
            }
          }
        });
    return rows;
  }
}
