package io.asyncflow.flowsvr.task.table;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.table.schema.TaskTableStore;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two servers, each with families of its own in memory, on one database. */
@RunningServer
@Tag("contract")
class TaskFamiliesIT {

  @Autowired RetryingTransactions transactions;
  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired TaskFamilies here;
  @Autowired SchedulePositions positions;
  @Autowired TaskTableStore tables;
  @Autowired TableLifeStore lives;

  private TaskFamilies there;

  @BeforeEach
  void secondServer() {
    there = new TaskFamilies(positions, transactions, tables, lives, new Node());
    there.all(RECENT);
  }

  private List<TaskFamilies> servers() {
    return List.of(here, there);
  }

  private int endOf(TaskType type) {
    return jdbc.sql("SELECT schedule_end_pos FROM t_schedule_pos WHERE task_type = :type")
        .param("type", type.name())
        .query(Integer.class)
        .single();
  }

  private List<TaskTable> tablesOf(TaskType type) {
    return tables.existing().stream().filter(table -> table.type().equals(type)).toList();
  }

  @Test
  void firstUseOnManyThreadsOfTwoServersMakesOneTable() {
    TaskType type = given.aType().create();

    List<TaskFamily> seen = AtOnce.from(8, i -> servers().get(i % 2).of(type));

    assertThat(seen).allMatch(family -> family.end().equals(new TaskTable(type, 1)));
    assertThat(tablesOf(type)).containsExactly(new TaskTable(type, 1));
    assertThat(endOf(type)).isEqualTo(1);
  }

  @Test
  void ofManyThatAdvanceAtOnceOneMovesThePosition() {
    TaskType type = given.aType().create();
    for (int end = 1; end <= 5; end++) {
      TaskTable before = here.of(type).end();
      assertThat(before.number()).isEqualTo(end);

      List<Boolean> moved = AtOnce.from(8, i -> servers().get(i % 2).advance(before));

      assertThat(moved).containsOnlyOnce(true);
      assertThat(endOf(type)).isEqualTo(end + 1);
    }
    assertThat(tablesOf(type)).hasSize(6);
  }

  @Test
  void advanceFromATableThatIsNotTheEndMovesNothing() {
    TaskType type = given.aType().create();
    TaskTable first = here.of(type).end();
    assertThat(here.advance(first)).isTrue();
    assertThat(here.advance(first)).isFalse();
    assertThat(there.advance(first)).isFalse();
    assertThat(here.of(type).end().number()).isEqualTo(2);
  }

  @Test
  void tableMadeByAnotherServerAMomentAgoIsFound() {
    for (int i = 0; i < 5; i++) {
      TaskType type = given.aType().create();
      TaskTable first = here.of(type).end();
      assertThat(there.has(first)).as("a new type").isTrue();

      here.advance(first);
      TaskTable second = here.of(type).end();
      assertThat(there.has(second)).as("a new table").isTrue();

      there.advance(second);
      TaskTable third = new TaskTable(type, 3);
      TaskTable never = new TaskTable(type, 4);
      assertThat(here.existing(Set.of(first, third, never), RECENT))
          .containsExactlyInAnyOrder(first, third);
    }
  }

  @Test
  void tablesThatNobodyMadeAreAskedForTogether() {
    TaskType type = given.aType().create();
    here.of(type);
    List<TaskTable> forged =
        IntStream.rangeClosed(2, 1_001).mapToObj(n -> new TaskTable(type, n)).toList();

    long begin = System.nanoTime();
    assertThat(here.existing(Set.copyOf(forged), RECENT)).isEmpty();
    assertThat(System.nanoTime() - begin).isLessThan(5_000_000_000L);
  }

  @Test
  void whileTheFamilyRollsNothingIsLostAndEverythingIsReadable() {
    TaskType type = given.aType().create();
    here.of(type);
    AtomicBoolean rolling = new AtomicBoolean(true);

    List<List<TaskId>> made =
        AtOnce.from(
            5,
            thread -> {
              List<TaskId> ids = new ArrayList<>();
              if (thread == 0) {
                for (int end = 1; end <= 20; end++) {
                  servers().get(end % 2).advance(new TaskTable(type, end));
                }
                rolling.set(false);
              }
              while (thread > 0 && (rolling.get() || ids.size() < 20)) {
                TaskId id = given.aWaitingTask().ofType(type).create();
                assertThat(here.has(id.table())).isTrue();
                assertThat(there.has(id.table())).isTrue();
                ids.add(id);
              }
              return ids;
            });

    assertThat(endOf(type)).isEqualTo(21);
    for (List<TaskId> ids : made) {
      ids.forEach(id -> assertThat(given.row(id).id()).isEqualTo(id));
    }
    long rows =
        tablesOf(type).stream()
            .mapToLong(
                table ->
                    jdbc.sql("SELECT COUNT(*) FROM " + table.sqlName()).query(Long.class).single())
            .sum();
    assertThat(rows).isEqualTo(made.stream().mapToLong(List::size).sum());
  }
}
