package io.asyncflow.flowsvr.operate.search;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.asyncflow.api.Task;
import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.SearchOrder;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.read.InvalidFieldException;
import io.asyncflow.flowsvr.operate.search.IndexRange.Index;
import io.asyncflow.flowsvr.operate.search.RangeMerge.Bounds;
import io.asyncflow.flowsvr.operate.search.SearchStore.Entry;
import io.asyncflow.flowsvr.operate.search.SearchStore.Look;
import io.asyncflow.flowsvr.operate.search.words.TaskFilter;
import io.asyncflow.flowsvr.task.number.NumberTime;
import io.asyncflow.flowsvr.task.row.AnswerRoom;
import io.asyncflow.flowsvr.task.table.Freshness;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.springframework.stereotype.Service;

/**
 * Finds tasks, page by page. A page looks at a bounded number of entries for a bounded time, and
 * says how far it came; a page without tasks that has a cursor is no end. Thread-safe.
 */
@Service
public class TaskSearch {

  /** The most entries of a page. */
  static final int MOST_LOOKED = 20_000;

  /** The most tasks of a page whose texts are read. */
  static final int MOST_TEXTS = 2_000;

  private static final int LONGEST_PIECE = 5_000;

  /** The longest piece where each entry leads to a row that lies elsewhere. */
  private static final int LONGEST_PIECE_OF_ROWS = 1_000;

  private static final int LONGEST_PIECE_OF_TEXTS = 250;

  private static final long TIME_OVER = TimeUnit.MILLISECONDS.toNanos(200);

  /** By how much a number can be ahead of the database's clock, in ms, with a margin. */
  private static final long NUMBERS_AHEAD = TimeUnit.MINUTES.toMillis(1);

  private static final String BY_IDS = "PRIMARY";
  private static final String BY_JOB = "t_job_task";

  /** How cursors begin of searches that go through named ids, or through the children of a job. */
  private static final String BY_ID_CURSOR = "I";

  private static final String BY_JOB_CURSOR = "J";

  private final SearchPlan plan;
  private final SearchStore store;
  private final JobMaps jobs;
  private final TaskFamilies families;
  private final TaskTypes types;
  private final Node node;

  TaskSearch(
      SearchPlan plan,
      SearchStore store,
      JobMaps jobs,
      TaskFamilies families,
      TaskTypes types,
      Node node) {
    this.plan = plan;
    this.store = store;
    this.jobs = jobs;
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
  public record Request(TaskFilter filter, SearchOrder order, int limit, String cursor) {

    /**
     * The same in the same order, without the tasks that were made long after this epoch ms. Some
     * that were made a little later are among them, which their rows tell: numbers are ahead of the
     * database's clock by as long as its answers to their server take.
     */
    public Request madeUntilAbout(long ms) {
      return new Request(filter.madeBefore(ms + NUMBERS_AHEAD), orderOrDefault(), limit, cursor);
    }

    /** A page of the same search. */
    public Request page(int newLimit, String newCursor) {
      return new Request(filter, order, newLimit, newCursor);
    }

    /** Whether a row with its contents is searched for. */
    public boolean fits(TaskRow row) {
      return filter.fits(row) && filter.fitsTexts(row);
    }

    private SearchOrder orderOrDefault() {
      return order == null ? SearchPlan.orderOf(filter) : order;
    }
  }

  /**
   * What a page has found, before the rows are read.
   *
   * @param ids in the order of the search; whether they fit is to be seen in their rows
   * @param nextCursor {@code null} on the last page
   * @param lookedBackTo epoch ms; {@code null} if that cannot be said
   */
  public record Page(
      List<TaskId> ids,
      String nextCursor,
      int looked,
      Long lookedBackTo,
      boolean isWhole,
      String drivenBy) {}

  /**
   * A page of a search.
   *
   * @throws InvalidFieldException if the cursor is none of this search
   * @throws io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException if a type is not configured
   */
  FoundTasks search(Request request, Caller caller) {
    Page page = look(request, caller, RECENT);
    return new FoundTasks(
        tasks(page, request, caller),
        page.nextCursor(),
        page.looked(),
        page.lookedBackTo(),
        page.isWhole(),
        page.drivenBy());
  }

  /**
   * The same without reading the tasks.
   *
   * @param freshness of the tables that are read
   * @throws InvalidFieldException if the cursor is none of this search
   * @throws io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException if a type is not configured
   */
  public Page look(Request request, Caller caller, Freshness freshness) {
    TaskFilter filter = request.filter();
    filter.types().forEach(types::require);
    if (!filter.ids().isEmpty()) {
      return ofIds(request, caller);
    }
    return filter.jobId() != null ? ofJob(request, caller) : ofRanges(request, caller, freshness);
  }

  private static Page ofIds(Request request, Caller caller) {
    int from = request.cursor() == null ? 0 : indexOf(request.cursor(), BY_ID_CURSOR);
    List<TaskId> all =
        request.filter().ids().stream().filter(id -> caller.seesType(id.type().name())).toList();
    int begin = Math.min(from, all.size());
    int end = Math.min(begin + request.limit(), all.size());
    boolean isEnd = end == all.size();
    return new Page(
        all.subList(begin, end),
        isEnd ? null : BY_ID_CURSOR + end,
        end - begin,
        null,
        isEnd,
        BY_IDS);
  }

  private static InvalidFieldException badCursor() {
    return new InvalidFieldException("cursor", "must be a nextCursor of the same search");
  }

  /** The split and the merge of a job come first, then its children in their order. */
  private Page ofJob(Request request, Caller caller) {
    long jobId = request.filter().jobId();
    JobRow job = jobs.head(jobId, caller);
    int from = request.cursor() == null ? 0 : indexOf(request.cursor(), BY_JOB_CURSOR);
    List<TaskId> ids = new ArrayList<>(request.cursor() == null ? job.ownTasks() : List.of());
    jobs.children(job, from, request.limit()).forEach(child -> ids.add(child.task()));
    int next = from + request.limit();
    boolean isEnd = next >= job.released();
    return new Page(ids, isEnd ? null : BY_JOB_CURSOR + next, ids.size(), null, isEnd, BY_JOB);
  }

  private static int indexOf(String cursor, String kind) {
    if (!cursor.matches(kind + "[0-9]{1,8}")) {
      throw badCursor();
    }
    return Integer.parseInt(cursor.substring(1));
  }

  private Page ofRanges(Request request, Caller caller, Freshness freshness) {
    TaskFilter filter = request.filter();
    SearchOrder order = request.orderOrDefault();
    Position after =
        request.cursor() == null
            ? null
            : Position.parse(request.cursor(), order).orElseThrow(TaskSearch::badCursor);
    Index index = SearchPlan.indexOf(filter, order);
    SearchPlan.Ranges ranges = plan.ranges(filter, index, read(filter, caller, freshness));
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
      Entry entry = merge.next();
      if (entry == null) {
        break;
      }
      looked++;
      last = entry.at();
      if (entry.fits()) {
        found.add(new TaskId(last.number(), entry.table()));
      }
    }
    boolean isEnd = merge.isOver();
    return new Page(
        found,
        isEnd || last == null ? null : last.cursor(order),
        looked,
        looked == 0 ? null : timeOf(last, order),
        isEnd && ranges.isWhole(),
        index.sqlName);
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
  private Collection<TaskFamily> read(TaskFilter filter, Caller caller, Freshness freshness) {
    Predicate<TaskFamily> isNamed =
        family -> filter.types().isEmpty() || filter.types().contains(family.type());
    return families.all(freshness).stream()
        .filter(isNamed)
        .filter(family -> caller.seesType(family.type().name()))
        .toList();
  }

  /**
   * The rows of a page without their contents, in its order: of the tasks that fit by now, and
   * whose user the caller sees.
   */
  public List<TaskRow> rows(Page page, Request request, Caller caller) {
    TaskFilter filter = request.filter();
    Map<TaskTable, List<Long>> numbers =
        page.ids().stream().collect(groupingBy(TaskId::table, mapping(TaskId::number, toList())));
    boolean mustTestTexts =
        !filter.texts().isEmpty() && (!filter.ids().isEmpty() || filter.jobId() != null);
    Map<TaskId, TaskRow> rows = new HashMap<>();
    for (TaskTable table : families.existing(new HashSet<>(numbers.keySet()), RECENT)) {
      List<Long> ofTable = numbers.get(table);
      List<Long> wanted = mustTestTexts ? store.withTexts(table, ofTable, filter.texts()) : ofTable;
      if (!wanted.isEmpty()) {
        store.rows(table, wanted).forEach(row -> rows.put(row.id(), row));
      }
    }
    return page.ids().stream()
        .map(rows::get)
        .filter(Objects::nonNull)
        .filter(row -> filter.fits(row) && caller.seesUser(row.userId()))
        .toList();
  }

  /** The tasks of a page. Those that the answer has no room for lack their logs. */
  private List<Task> tasks(Page page, Request request, Caller caller) {
    List<Task> tasks = new ArrayList<>();
    AnswerRoom room = new AnswerRoom();
    for (TaskRow row : rows(page, request, caller)) {
      // The tasks of a type whose configuration was deleted still exist, but are not listed.
      Optional<Task> task = types.find(row.id().type()).map(row::toTask);
      boolean showsLog = caller.may(Verb.CONTEXT_READ) && room.take(AnswerRoom.bytesOf(row));
      task.map(whole -> showsLog ? whole : whole.withoutContents()).ifPresent(tasks::add);
    }
    return tasks;
  }
}
