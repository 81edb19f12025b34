package io.asyncflow.flowsvr.queue.query;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.task.row.AnswerRoom;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

@UnsweptServer
@Tag("contract")
class TaskQueriesIT {

  private static final Set<TaskStatus> ANY = Set.of();
  private static final Set<TaskStatus> WAITING = Set.of(TaskStatus.WAITING);

  @Autowired Given given;
  @Autowired TaskQueries queries;
  @Autowired JdbcClient jdbc;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 1_000})
  void pagesOfTwoTablesAreComplete(int limit) {
    TaskType lark = given.aType().create();
    List<TaskId> ids = new ArrayList<>(given.aWaitingTask().ofType(lark).create(5));
    given.nextTable(lark);
    ids.addAll(given.aWaitingTask().ofType(lark).create(6));
    // a creator with an older position still writes into the first table
    given.copies(ids.get(0), 1_000, 2, "create_time = create_time");
    ids.add(0, new TaskId(1_001, ids.get(0).table()));
    ids.add(0, new TaskId(1_000, ids.get(0).table()));
    Collections.reverse(ids);
    assertThat(allPages(limit, cursor -> queries.list(lark, ANY, limit, cursor, Names.ALL)))
        .containsExactlyElementsOf(textOf(ids));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 1_000})
  void pagesOverTablesBehindBeginAreComplete(int limit) {
    TaskType lark = given.aType().create();
    String user = "user of " + lark;
    List<TaskId> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      TaskId model = given.aWaitingTask().ofType(lark).ofUser(user).create();
      ids.add(model);
      int low = 1_000 * (i + 1); // of late creators: each table reaches below the one before
      given.copies(model, low, 2, "create_time = create_time");
      ids.add(new TaskId(low, model.table()));
      ids.add(new TaskId(low + 1, model.table()));
      given.nextTable(lark);
    }
    given.nextTable(lark); // an empty one
    ids.add(given.aWaitingTask().ofType(lark).ofUser(user).create());
    jdbc.sql("UPDATE t_schedule_pos SET schedule_begin_pos = 5 WHERE task_type = ?")
        .param(lark.name())
        .update();
    ids.sort(Comparator.comparingLong(TaskId::number).reversed());

    assertThat(allPages(limit, cursor -> queries.list(lark, ANY, limit, cursor, Names.ALL)))
        .containsExactlyElementsOf(textOf(ids));
    assertThat(allPages(limit, cursor -> queries.list(lark, WAITING, limit, cursor, Names.ALL)))
        .containsExactlyElementsOf(textOf(ids));
    assertThat(allPages(limit, cursor -> queries.listOfUser(user, ANY, limit, cursor, Names.ALL)))
        .containsExactlyElementsOf(textOf(ids));
    assertThat(
            allPages(limit, cursor -> queries.listOfUser(user, WAITING, limit, cursor, Names.ALL)))
        .containsExactlyElementsOf(textOf(ids));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 1_000})
  void listOfAUserGoesOverEveryTypeAndTable(int limit) {
    TaskType lark = given.aType().create();
    TaskType tts = given.aType().create();
    String user = "user of " + lark;
    List<TaskId> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(given.aWaitingTask().ofType(lark).ofUser(user).create());
      given.aWaitingTask().ofType(lark).ofUser("somebody else").create();
      ids.add(given.aWaitingTask().ofType(tts).ofUser(user).create());
      given.nextTable(i % 2 == 0 ? lark : tts);
    }
    Collections.reverse(ids);
    assertThat(allPages(limit, cursor -> queries.listOfUser(user, ANY, limit, cursor, Names.ALL)))
        .containsExactlyElementsOf(textOf(ids));
    assertThat(queries.listOfUser("nobody", ANY, 10, null, Names.ALL))
        .isEqualTo(new TaskPage(List.of(), null));
  }

  @Test
  void pagesOfLargeTasksAreBoundedByTheirBytesAndComplete() {
    TaskType lark = given.aType().create();
    String user = "user of " + lark;
    TaskId first = given.aWaitingTask().ofType(lark).ofUser(user).create();
    String largest = "schedule_log = REPEAT('x', 65535), task_context = REPEAT('é', 2048)";
    given.copies(first, 1_000, 150, largest);
    given.nextTable(lark);
    TaskId second = given.aWaitingTask().ofType(lark).ofUser(user).create();
    given.copies(second, 2_000, 150, largest);
    List<String> expected = new ArrayList<>(List.of(second.toString(), first.toString()));
    for (int number = 2_149; number >= 2_000; number--) {
      expected.add(new TaskId(number, second.table()).toString());
    }
    for (int number = 1_149; number >= 1_000; number--) {
      expected.add(new TaskId(number, first.table()).toString());
    }

    assertThat(
            allPages(1_000, cursor -> bounded(queries.list(lark, ANY, 1_000, cursor, Names.ALL))))
        .containsExactlyElementsOf(expected);
    assertThat(
            allPages(300, cursor -> bounded(queries.list(lark, WAITING, 300, cursor, Names.ALL))))
        .containsExactlyElementsOf(expected);
    assertThat(
            allPages(
                1_000, cursor -> bounded(queries.listOfUser(user, ANY, 1_000, cursor, Names.ALL))))
        .containsExactlyElementsOf(expected);
    assertThat(idsOf(queries.list(lark, ANY, 1_000, null, Names.ALL)))
        .as("as many as an answer has room for")
        .hasSize(2 + AnswerRoom.BYTES / (65_535 + 4_096));
  }

  private static TaskPage bounded(TaskPage page) {
    assertThat(bytesOf(page.taskList())).isLessThanOrEqualTo(AnswerRoom.BYTES);
    assertThat(idsOf(page)).isNotEmpty();
    return page;
  }

  private static long bytesOf(List<Task> tasks) {
    return tasks.stream()
        .mapToLong(task -> (task.taskContext() + task.scheduleLog()).getBytes(UTF_8).length)
        .sum();
  }

  @Test
  void finishedTasksOfEarlierTablesAreListed() {
    TaskType lark = given.aType().create();
    TaskId done = given.aWaitingTask().ofType(lark).create();
    given.reportOn(given.aHold(lark).theTask()).success(null);
    given.nextTable(lark);
    given.nextTable(lark);
    jdbc.sql("UPDATE t_schedule_pos SET schedule_begin_pos = 3 WHERE task_type = ?")
        .param(lark.name())
        .update();
    assertThat(queries.list(lark, ANY, 10, null, Names.ALL).taskList())
        .extracting(Task::taskId)
        .containsExactly(done.toString());
    assertThat(queries.get(done).status()).isEqualTo(4);
  }

  @Test
  void listHasOnlyTheWantedStatuses() {
    TaskType lark = given.aType().create();
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(50);
    int[] codes = {1, 2, 4, 8, 16};
    for (int i = 0; i < 50; i++) {
      // under leases that no sweep of another test ends
      given.set(ids.get(i), "lease_end = 4102444800000, status = " + codes[i % 5]);
    }
    for (int bits = 1; bits <= 31; bits++) {
      Set<TaskStatus> wanted = TaskStatus.ofBits(bits);
      List<String> expected = new ArrayList<>();
      for (int i = 49; i >= 0; i--) {
        if ((bits & codes[i % 5]) != 0) {
          expected.add(ids.get(i).toString());
        }
      }
      assertThat(allPages(3, cursor -> queries.list(lark, wanted, 3, cursor, Names.ALL)))
          .as("bits " + bits)
          .containsExactlyElementsOf(expected);
    }
  }

  @Test
  void statusThatIsRareFarBackAndOneThatIsCommonFarBackAreBothFound() {
    TaskType lark = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(lark).dueIn(1, HOURS).create();
    given.set(model, "status = 4");
    given.copies(model, 1, 3, "status = 8");
    given.copies(model, 10, 5_500, "status = 1");
    given.copies(model, 10_000, 22_000, "status = 4");

    assertThat(queries.list(lark, Set.of(TaskStatus.FAILED), 2, null, Names.ALL).taskList())
        .extracting(Task::taskId)
        .containsExactly("3_" + lark.name() + "_task_1", "2_" + lark.name() + "_task_1");

    // Too many to sort and too far to look in one page: it says where to go on.
    TaskPage first = queries.list(lark, WAITING, 10, null, Names.ALL);
    assertThat(first.taskList()).isEmpty();
    assertThat(first.nextCursor()).isNotNull();
    List<String> waiting =
        allPages(1_000, cursor -> queries.list(lark, WAITING, 1_000, cursor, Names.ALL));
    assertThat(waiting).hasSize(5_500).doesNotHaveDuplicates();
    assertThat(waiting.get(0)).startsWith("5509_");
  }

  @Test
  void tasksThatAreCreatedMeanwhileDoNotShiftThePages() {
    TaskType lark = given.aType().create();
    List<TaskId> ids = new ArrayList<>(given.aWaitingTask().ofType(lark).create(10));
    TaskPage first = queries.list(lark, ANY, 4, null, Names.ALL);
    given.aWaitingTask().ofType(lark).create(10);
    TaskPage second = queries.list(lark, ANY, 4, first.nextCursor(), Names.ALL);
    Collections.reverse(ids);
    assertThat(idsOf(first)).isEqualTo(textOf(ids.subList(0, 4)));
    assertThat(idsOf(second)).isEqualTo(textOf(ids.subList(4, 8)));
  }

  @Test
  void configuredTypeThatWasNeverUsedHasAnEmptyListAndAnUnknownOneHasNone() {
    assertThat(queries.list(given.aType().create(), ANY, 10, null, Names.ALL))
        .isEqualTo(new TaskPage(List.of(), null));
    assertThatThrownBy(() -> queries.list(new TaskType("nosuchtype"), ANY, 10, null, Names.ALL))
        .isInstanceOf(NoSuchTaskTypeException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "-1", "x", "1 OR 1=1", "9223372036854775808", "1.5", " 1", "1_lark_task_1"})
  void cursorThatIsNoneOfOursIsRefused(String cursor) {
    TaskType lark = given.aType().create();
    assertThatThrownBy(() -> queries.list(lark, ANY, 10, cursor, Names.ALL))
        .isInstanceOfSatisfying(
            FlowException.class,
            e -> {
              assertThat(e.errorCode()).isEqualTo(ErrorCode.INVALID_INPUT);
              assertThat(e.errors()).hasSize(1);
            });
  }

  @Test
  void taskOfAnyTableCanBeReadAndOthersAreUnknown() {
    TaskType lark = given.aType().create();
    TaskId old = given.aWaitingTask().ofType(lark).create();
    given.nextTable(lark);
    TaskId young = given.aWaitingTask().ofType(lark).create();
    assertThat(queries.get(old).taskId()).isEqualTo(old.toString());
    assertThat(queries.get(young).taskId()).isEqualTo(young.toString());
    for (TaskId unknown :
        List.of(
            new TaskId(old.number(), young.table()),
            new TaskId(1, old.table()),
            new TaskId(old.number(), new TaskTable(lark, 3)),
            new TaskId(old.number(), new TaskTable(new TaskType("nosuchtype"), 1)))) {
      assertThatThrownBy(() -> queries.get(unknown)).isInstanceOf(TaskNotFoundException.class);
    }
  }

  @Test
  void tableThatAnotherServerHasMadeAMomentAgoIsSeenAtOnce() {
    TaskType lark = given.aType().create();
    TaskId first = given.aWaitingTask().ofType(lark).create();
    jdbc.sql("CREATE TABLE t_%s_task_2 LIKE t_task_template".formatted(lark.name())).update();
    jdbc.sql("INSERT INTO t_%1$s_task_2 SELECT * FROM t_%1$s_task_1".formatted(lark.name()))
        .update();
    jdbc.sql("UPDATE t_schedule_pos SET schedule_end_pos = 2 WHERE task_type = ?")
        .param(lark.name())
        .update();
    TaskId there = new TaskId(first.number(), new TaskTable(lark, 2));
    assertThat(queries.get(there).taskId()).isEqualTo(there.toString());
  }

  @Test
  void tableThatAnotherServerHasMadeAMomentAgoIsListedAtOnce() {
    TaskType lark = given.aType().create();
    String user = "user of " + lark;
    TaskId first = given.aWaitingTask().ofType(lark).ofUser(user).create();
    queries.list(lark, ANY, 10, null, Names.ALL);
    jdbc.sql("CREATE TABLE t_%s_task_2 LIKE t_task_template".formatted(lark.name())).update();
    given.copies(new TaskId(first.number(), first.table()), 7, 1, "status = 4");
    jdbc.sql("INSERT INTO t_%1$s_task_2 SELECT * FROM t_%1$s_task_1".formatted(lark.name()))
        .update();
    jdbc.sql("UPDATE t_schedule_pos SET schedule_end_pos = 2 WHERE task_type = ?")
        .param(lark.name())
        .update();

    assertThat(queries.list(lark, ANY, 10, null, Names.ALL).taskList()).hasSize(4);
    jdbc.sql("CREATE TABLE t_%s_task_3 LIKE t_task_template".formatted(lark.name())).update();
    jdbc.sql("INSERT INTO t_%1$s_task_3 SELECT * FROM t_%1$s_task_1".formatted(lark.name()))
        .update();
    jdbc.sql("UPDATE t_schedule_pos SET schedule_end_pos = 3 WHERE task_type = ?")
        .param(lark.name())
        .update();
    assertThat(queries.listOfUser(user, ANY, 10, null, Names.ALL).taskList()).hasSize(6);
  }

  @Test
  void rareStatusOfAUserWithManyTasksIsFoundAtOnce() {
    TaskType lark = given.aType().create();
    String user = "user of " + lark;
    TaskId model = given.aWaitingTask().ofType(lark).ofUser(user).create();
    given.copies(model, 1, 3, "status = 8");
    given.copies(model, 1_000_000, 3_000, "status = 4");
    given.copies(model, 2_000_000, 1_000, "status = 8, user_id = 'somebody else'");
    Set<TaskStatus> failed = Set.of(TaskStatus.FAILED);

    TaskPage first = queries.listOfUser(user, failed, 2, null, Names.ALL);
    assertThat(idsOf(first))
        .containsExactly("3_" + lark.name() + "_task_1", "2_" + lark.name() + "_task_1");
    TaskPage second = queries.listOfUser(user, failed, 2, first.nextCursor(), Names.ALL);
    assertThat(idsOf(second)).containsExactly("1_" + lark.name() + "_task_1");
    assertThat(second.nextCursor()).isNull();
    assertThat(queries.listOfUser(user, Set.of(TaskStatus.CANCELLED), 2, null, Names.ALL))
        .isEqualTo(new TaskPage(List.of(), null));
  }

  @Test
  void idsOfAUserAndOfAStatusAreReadFromTheIndexAlone() {
    TaskTable table = given.aWaitingTask().ofType(given.aType().create()).create().table();
    Map<String, Object> ofUser =
        jdbc.sql("EXPLAIN " + TaskListStore.IDS_OF_USER.of(table))
            .param("user", "somebody")
            .param("before", 5)
            .param("limit", 10)
            .query()
            .singleRow();
    Map<String, Object> ofStatus =
        jdbc.sql("EXPLAIN " + TaskListStore.OF_STATUS.of(table))
            .param("statuses", List.of(1, 2))
            .param("limit", 10)
            .query()
            .singleRow();
    assertThat(List.of(ofUser, ofStatus))
        .allSatisfy(
            plan ->
                assertThat(String.valueOf(plan.get("Extra")))
                    .contains("Using index")
                    .doesNotContain("condition", "filesort", "temporary"));
  }

  @Test
  void userWithManyTasksIsLookedThroughInBoundedPages() {
    TaskType lark = given.aType().create();
    String user = "user of " + lark;
    TaskId model = given.aWaitingTask().ofType(lark).ofUser(user).create();
    given.copies(model, 1, 3, "status = 8");
    given.copies(model, 1_000_000, 3_000, "status = 4");
    // so many of this status that the user's are not told from the index
    given.copies(model, 2_000_000, 20_000, "status = 8, user_id = 'somebody else'");
    Set<TaskStatus> failed = Set.of(TaskStatus.FAILED);

    assertThat(queries.listOfUser(user, failed, 10, null, Names.ALL).taskList()).isEmpty();
    assertThat(allPages(10, cursor -> queries.listOfUser(user, failed, 10, cursor, Names.ALL)))
        .containsExactlyElementsOf(
            List.of(3, 2, 1).stream().map(n -> n + "_" + lark.name() + "_task_1").toList());
  }

  @Test
  void tasksOfATypeWhoseConfigurationWasDeletedAreNotShown() {
    TaskType deleted = given.aType().create();
    TaskType kept = given.aType().create();
    String user = "user of " + deleted;
    TaskId hidden = given.aWaitingTask().ofType(deleted).ofUser(user).create();
    TaskId shown = given.aWaitingTask().ofType(kept).ofUser(user).create();
    jdbc.sql("DELETE FROM t_schedule_cfg WHERE task_type = ?").param(deleted.name()).update();
    given.change(kept, "max_retry_num", 1); // makes this server read all types anew

    assertThat(idsOf(queries.listOfUser(user, ANY, 10, null, Names.ALL)))
        .containsExactly(shown.toString());
    assertThatThrownBy(() -> queries.get(hidden)).isInstanceOf(TaskNotFoundException.class);
  }

  private static List<String> allPages(int limit, Function<String, TaskPage> list) {
    List<String> all = new ArrayList<>();
    String cursor = null;
    do {
      TaskPage page = list.apply(cursor);
      assertThat(page.taskList()).hasSizeLessThanOrEqualTo(limit);
      assertThat(page.nextCursor())
          .as("a cursor makes progress")
          .isNotEqualTo(cursor == null ? "" : cursor);
      all.addAll(idsOf(page));
      cursor = page.nextCursor();
    } while (cursor != null);
    return all;
  }

  private static List<String> idsOf(TaskPage page) {
    return page.taskList().stream().map(Task::taskId).toList();
  }

  private static List<String> textOf(List<TaskId> ids) {
    return ids.stream().map(TaskId::toString).toList();
  }
}
