package io.asyncflow.flowsvr.operate.search;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.api.find.SearchOrder;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import io.asyncflow.flowsvr.edge.web.read.InvalidFieldException;
import io.asyncflow.flowsvr.operate.search.TaskSearch.Request;
import io.asyncflow.flowsvr.operate.search.words.SearchTerms;
import io.asyncflow.flowsvr.operate.search.words.SearchWords;
import io.asyncflow.flowsvr.operate.search.words.TaskFilter;
import io.asyncflow.flowsvr.task.index.SourceWalk;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Searches, compared with a plain filter of all rows: of two types, of which one has lanes and two
 * tables.
 */
@UnsweptServer
@Tag("contract")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TaskSearchIT {

  private static final List<String> STAGES = List.of("cut", "merge", "split it");
  private static final List<String> USERS = List.of("ada", "bob", "acme/x");
  private static final List<String> WORKERS = List.of("gpu-1", "gpu-12", "cpu");

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired TaskSearch search;
  @Autowired SearchStore store;
  @Autowired ReadDatabase reads;
  @Autowired TaskFamilies families;
  @Autowired TaskTypes taskTypes;
  @Autowired Node node;

  private final List<TaskType> types = new ArrayList<>();
  private final List<TaskRow> rows = new ArrayList<>();

  @BeforeAll
  void manyTasks() {
    TaskType plain = given.aType().create();
    TaskType laned = given.aType().create();
    types.addAll(List.of(plain, laned));
    Random random = new Random(7);
    List<TaskId> ids = new ArrayList<>();
    make(plain, random, false, ids);
    make(laned, random, true, ids);
    given.nextTable(plain);
    make(plain, random, false, ids);
    for (TaskId id : ids) {
      TaskStatus status = TaskStatus.values()[random.nextInt(TaskStatus.values().length)];
      given.set(
          id,
          ("status = %s, worker_id = '%s', crt_retry_num = %s, order_time = order_time + %s,"
                  + " lease_epoch = 1, hold_time = create_time, lease_end = create_time + 86400000")
              .formatted(
                  status.code(),
                  any(random, WORKERS),
                  random.nextInt(5),
                  60_000 * (random.nextInt(20) - 10)));
      rows.add(given.row(id));
    }
  }

  private void make(TaskType type, Random random, boolean hasLanes, List<TaskId> ids) {
    for (int i = 0; i < 60; i++) {
      Given.AWaitingTask task =
          given
              .aWaitingTask()
              .ofType(type)
              .inStage(any(random, STAGES))
              .ofUser(any(random, USERS))
              .withContext("{\"n\":\"item " + i + "%\"}");
      if (hasLanes && random.nextBoolean()) {
        task.forWorkers("w" + random.nextInt(4));
      }
      ids.add(task.create());
    }
  }

  private static <T> T any(Random random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  @Test
  void findsWhatAPlainFilterFinds() {
    for (int seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      String q = words(random);
      TaskFilter filter = filter(q);
      SearchOrder order =
          filter.statuses().isEmpty() || random.nextBoolean()
              ? SearchOrder.NEWEST
              : any(random, List.of(SearchOrder.DUE, SearchOrder.LATEST_DUE));
      int limit = 1 + random.nextInt(40);

      List<String> found = all(filter, order, limit, TestCallers.ADMIN);

      assertThat(found).as("seed %s: %s, %s", seed, q, order).isEqualTo(expected(filter, order));
    }
  }

  private String words(Random random) {
    StringBuilder q = new StringBuilder("type:" + types.get(0));
    if (random.nextBoolean()) {
      q.append(" type:").append(types.get(1));
    }
    if (random.nextBoolean()) {
      q.append(" status:failed");
      if (random.nextBoolean()) {
        q.append(",waiting,executing");
      }
    }
    if (random.nextInt(3) == 0) {
      q.append(" stage:\"split it\",").append(any(random, STAGES).split(" ")[0]);
    }
    if (random.nextInt(3) == 0) {
      q.append(" user:").append(any(random, USERS));
    }
    if (random.nextInt(4) == 0) {
      q.append(" worker:gpu-1*");
    }
    if (random.nextInt(4) == 0) {
      q.append(" retries>1");
    }
    if (random.nextInt(4) == 0) {
      q.append(random.nextBoolean() ? " due<2m" : " due>-3m");
    }
    if (random.nextInt(6) == 0) {
      q.append(" age<1h");
    }
    return q.toString();
  }

  private List<String> expected(TaskFilter filter, SearchOrder order) {
    Comparator<TaskRow> byDue =
        Comparator.comparingLong(TaskRow::orderTime).thenComparing(row -> row.id().number());
    Comparator<TaskRow> newest = Comparator.comparing((TaskRow row) -> -row.id().number());
    return rows.stream()
        .filter(filter::fits)
        .sorted(
            switch (order) {
              case NEWEST -> newest;
              case DUE -> byDue;
              case LATEST_DUE -> byDue.reversed();
            })
        .map(row -> row.id().toString())
        .toList();
  }

  /** The ids of all pages, none of which is longer than the limit. */
  private List<String> all(TaskFilter filter, SearchOrder order, int limit, Caller caller) {
    List<String> ids = new ArrayList<>();
    String cursor = null;
    do {
      FoundTasks page = page(filter, order, limit, cursor, caller);
      assertThat(page.taskList()).hasSizeLessThanOrEqualTo(limit);
      assertThat(page.isWhole()).isEqualTo(page.nextCursor() == null);
      page.taskList().forEach(task -> ids.add(task.taskId()));
      cursor = page.nextCursor();
    } while (cursor != null);
    return ids;
  }

  private FoundTasks page(
      TaskFilter filter, SearchOrder order, int limit, String cursor, Caller caller) {
    Request request = new Request(filter, order, limit, cursor);
    return reads.inTurn(() -> search.search(request, caller));
  }

  private FoundTasks page(String q, Caller caller) {
    return page(filter(q), null, 100, null, caller);
  }

  private TaskFilter filter(String q) {
    SearchTerms terms = new SearchTerms(reads.inTurn(reads::now));
    SearchWords.Parsed parsed = SearchWords.parse(q);
    assertThat(parsed.errors()).isEmpty();
    parsed.words().forEach(word -> assertThat(terms.add(word)).isNull());
    return terms.filter();
  }

  @Test
  void pagesNeitherSkipNorRepeatTasksThatAreMadeMeanwhile() {
    TaskType type = given.aType().create();
    List<TaskId> before = given.aWaitingTask().ofType(type).create(50);
    TaskFilter filter = filter("type:" + type);
    List<String> ids = new ArrayList<>();
    String cursor = null;
    do {
      FoundTasks page = page(filter, SearchOrder.NEWEST, 7, cursor, TestCallers.ADMIN);
      page.taskList().forEach(task -> ids.add(task.taskId()));
      cursor = page.nextCursor();
      given.aWaitingTask().ofType(type).create(3);
    } while (cursor != null);

    assertThat(ids).doesNotHaveDuplicates();
    assertThat(ids).containsAll(before.stream().map(TaskId::toString).toList());
  }

  @Test
  void tasksDueAtTheSameMomentAreEachFoundOnce() {
    TaskType type = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(type).inStage("s").dueIn(1, HOURS).create();
    given.copies(model, 1, 500, "status = 1");

    for (SearchOrder order : List.of(SearchOrder.DUE, SearchOrder.LATEST_DUE)) {
      List<String> ids =
          all(filter("type:" + type + " status:waiting"), order, 37, TestCallers.ADMIN);
      assertThat(ids).hasSize(501).doesNotHaveDuplicates();
    }
  }

  @Test
  void textsAreFoundAsTheyAreWritten() {
    assertThat(ofText("item 7%")).hasSize(2);
    assertThat(ofText("item _%")).isEmpty();
    assertThat(page(rows.get(0).id().toString(), TestCallers.ADMIN).taskList())
        .extracting(Task::taskContext)
        .containsExactly("");
  }

  private List<String> ofText(String text) {
    TaskFilter filter = filter("type:" + types.get(0) + " text:\"" + text + "\"");
    return all(filter, SearchOrder.NEWEST, 100, TestCallers.ADMIN);
  }

  @Test
  void idsAreFoundAndTheRestMustFitAsWell() {
    TaskRow row = rows.get(3);

    assertThat(page(row.id().toString(), TestCallers.ADMIN).taskList())
        .extracting(Task::taskId)
        .containsExactly(row.id().toString());
    assertThat(page(row.id() + " text:\"no such text\"", TestCallers.ADMIN).taskList()).isEmpty();
    assertThat(page(row.id() + " user:another", TestCallers.ADMIN).taskList()).isEmpty();
    assertThat(page("1_nosuchtype_task_1", TestCallers.ADMIN).taskList()).isEmpty();
  }

  @Test
  void whatWaitsIsListedByDueTimeAndWhatFailedByTheLatest() {
    List<Task> waiting =
        page("type:" + types.get(0) + " status:waiting", TestCallers.ADMIN).taskList();
    List<Task> failed =
        page("type:" + types.get(0) + " status:failed", TestCallers.ADMIN).taskList();

    assertThat(waiting).isSortedAccordingTo(Comparator.comparingLong(Task::orderTime)).isNotEmpty();
    assertThat(failed)
        .isSortedAccordingTo(Comparator.comparingLong(Task::orderTime).reversed())
        .isNotEmpty();
  }

  @Test
  void aPageSaysHowFarItLookedAndGoesOnThere() {
    TaskType type = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(type).create();
    given.copies(model, 1, 21_000, "status = 4");
    TaskFilter filter = filter("type:" + type + " status:cancelled");

    FoundTasks first = page(filter, SearchOrder.NEWEST, 10, null, TestCallers.ADMIN);

    assertThat(first.taskList()).isEmpty();
    assertThat(first.looked()).isBetween(1, TaskSearch.MOST_LOOKED + 1);
    assertThat(first.nextCursor()).isNotNull();
    assertThat(first.isWhole()).isFalse();
    assertThat(first.drivenBy()).isEqualTo("PRIMARY");
    assertThat(all(filter, SearchOrder.NEWEST, 10, TestCallers.ADMIN)).isEmpty();
  }

  @Test
  void aCursorOfAnotherOrderIsRefused() {
    TaskFilter filter = filter("type:" + types.get(0) + " status:waiting");
    String cursor = page(filter, SearchOrder.DUE, 1, null, TestCallers.ADMIN).nextCursor();

    for (String bad : List.of(cursor, "J0", "N1", "N1_99999999999999999999", "x")) {
      assertThatThrownBy(() -> page(filter, SearchOrder.NEWEST, 1, bad, TestCallers.ADMIN))
          .isInstanceOf(InvalidFieldException.class);
    }
  }

  @Test
  void aScopedCallerFindsItsTypesAlone() {
    Scope scope = new Scope(Names.of(List.of(types.get(1).name())), Names.ALL, Names.ALL, "w");
    Caller caller = TestCallers.of(Role.READER, scope);

    List<String> ids = all(filter(""), SearchOrder.NEWEST, 50, caller);

    assertThat(ids).hasSize(60).allMatch(id -> id.contains("_" + types.get(1) + "_task_"));
    assertThat(page(rows.get(0).id().toString(), caller).taskList()).isEmpty();
  }

  @Test
  void aCallerWithoutContextReadSeesNoLogs() {
    TaskRow row = rows.get(0);
    given.set(row.id(), "schedule_log = '{\"secret\":1}'");
    Caller reader = TestCallers.of(Role.READER, Scope.ALL);

    assertThat(page(row.id().toString(), TestCallers.ADMIN).taskList().get(0).scheduleLog())
        .contains("secret");
    assertThat(page(row.id().toString(), reader).taskList().toString()).doesNotContain("secret");
  }

  @Test
  void aJobThatTheCallerDoesNotSeeIsNone() {
    assertThatThrownBy(() -> page("job:123", TestCallers.ADMIN)).isInstanceOf(FlowException.class);
  }

  @Test
  void lanesOfAStageAreFoundWhereverTheyAre() {
    TaskType type = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(type).inStage("s").forWorkers("w").create();
    given.copies(model, 1, 40, "lane = CONCAT('lane', id), status = 8");

    String q = "type:" + type + " stage:s status:failed";

    assertThat(all(filter(q), SearchOrder.LATEST_DUE, 100, TestCallers.ADMIN))
        .hasSize(40)
        .doesNotHaveDuplicates();
    assertThat(page(q, TestCallers.ADMIN).drivenBy()).isEqualTo("idx_claim");
  }

  @Test
  void moreLanesThanAreLookedAtAreSaid() {
    TaskType type = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(type).inStage("s").forWorkers("w").create();
    given.copies(model, 1, 100, "lane = CONCAT('lane', id), status = 8");

    TaskFilter filter = filter("type:" + type + " status:failed");
    int tasks = 0;
    FoundTasks page = page(filter, null, 100, null, TestCallers.ADMIN);
    while (page.nextCursor() != null) {
      tasks += page.taskList().size();
      page = page(filter, null, 100, page.nextCursor(), TestCallers.ADMIN);
    }

    assertThat(tasks + page.taskList().size()).isEqualTo(SourceWalk.LANES);
    assertThat(page.isWhole()).isFalse();
  }

  @Test
  void runningTasksAreReadWhileThereIsTime() {
    ReadDatabase over = mock();
    when(over.isOver()).thenReturn(true);
    RunningTasks late = new RunningTasks(store, families, taskTypes, over, node);

    RunningPage page = late.list(null, null, 100, TestCallers.ADMIN);

    assertThat(page.runningList()).isEmpty();
    assertThat(page.isWhole()).isFalse();
  }

  // what it costs

  @Test
  void aPageReadsItsLimitHoweverManyTasksThereAre() {
    TaskTable table = aFullTable();
    TaskType type = table.type();

    assertReads(150, "type:" + type, null);
    assertReads(150, "type:" + type + " status:success", null);
    assertReads(150, "type:" + type + " status:success stage:s", SearchOrder.DUE);
    assertReads(400, "type:" + type + " user:rare", null);
    assertReads(150, "type:" + type + " status:success", "due>5m", SearchOrder.LATEST_DUE);
  }

  private TaskTable aFullTable() {
    TaskType type = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(type).inStage("s").dueSince(1, MINUTES).create();
    given.copies(model, 1, 20_000, "status = 4, order_time = order_time + id % 7");
    given.copies(model, 30_000, 5_000, "user_id = 'rare', status = 8");
    jdbc.sql("ANALYZE TABLE " + model.table().sqlName()).query().listOfRows();
    return model.table();
  }

  private void assertReads(int most, String q, SearchOrder order) {
    assertReads(most, q, "", order);
  }

  /** Of the second page, too, whose begin lies among many entries with the same due time. */
  private void assertReads(int most, String q, String more, SearchOrder order) {
    TaskFilter filter = filter(q + " " + more);
    FoundTasks first = page(filter, order, 20, null, TestCallers.ADMIN);
    long before = rowsRead();
    page(filter, order, 20, null, TestCallers.ADMIN);
    long firstPage = rowsRead() - before;
    page(filter, order, 20, first.nextCursor(), TestCallers.ADMIN);
    long secondPage = rowsRead() - before - firstPage;
    assertThat(firstPage).as(q).isLessThanOrEqualTo(most);
    assertThat(secondPage).as("second page of " + q).isLessThanOrEqualTo(most);
  }

  /** Of the connection that searches of this thread use. */
  private long rowsRead() {
    return reads.inTurn(
        () ->
            reads
                .client()
                .sql("SHOW SESSION STATUS LIKE 'Handler_read%'")
                .query((rs, row) -> rs.getString(1).endsWith("rnd_next") ? 0 : rs.getLong(2))
                .list()
                .stream()
                .mapToLong(Number::longValue)
                .sum());
  }
}
