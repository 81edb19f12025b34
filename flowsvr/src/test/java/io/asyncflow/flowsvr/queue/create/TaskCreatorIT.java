package io.asyncflow.flowsvr.queue.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

@RunningServer
@Tag("contract")
class TaskCreatorIT {

  @Autowired Given given;
  @Autowired TaskCreator creator;
  @Autowired Duty keyRetentionDuty;
  @Autowired JdbcClient jdbc;

  private long rowsOf(TaskType type) {
    return jdbc.sql("SELECT COUNT(*) FROM t_%s_task_1".formatted(type.name()))
        .query(Long.class)
        .single();
  }

  private long keysOf(TaskType type) {
    return jdbc.sql("SELECT COUNT(*) FROM t_task_key WHERE task_type = :type")
        .param("type", type.name())
        .query(Long.class)
        .single();
  }

  private void letKeyExpire(TaskType type, String key) {
    int changed =
        jdbc.sql(
                """
                UPDATE t_task_key
                SET expire_time = 1
                WHERE task_type = :type
                  AND idempotency_key = :key
                """)
            .param("type", type.name())
            .param("key", key)
            .update();
    assertThat(changed).isEqualTo(1);
  }

  private TaskId create(TaskDraft task) {
    return creator.create(task);
  }

  private TaskDraft aTask(TaskType type) {
    return given.aWaitingTask().ofType(type).asDraft();
  }

  private TaskDraft aTask(TaskType type, String key) {
    return given.aWaitingTask().ofType(type).withKey(key).asDraft();
  }

  @Test
  void typeThatBeginsToKeepEventsAmongCreatesLeavesOneTaskForEachOfThem() throws Exception {
    TaskType type = given.aType().create();
    AtomicBoolean isDone = new AtomicBoolean();
    Thread toggling =
        new Thread(
            () -> {
              for (int i = 0; !isDone.get(); i++) {
                given.change(type, "events", i % 2 * 2);
              }
            });
    toggling.start();
    int created;
    try {
      created = AtOnce.from(8, i -> creates(type)).stream().mapToInt(Integer::intValue).sum();
    } finally {
      isDone.set(true);
      toggling.join();
    }
    assertThat(rowsOf(type)).isEqualTo(created);
  }

  private int creates(TaskType type) {
    for (int i = 0; i < 150; i++) {
      AtOnce.patiently(() -> create(aTask(type)));
    }
    return 150;
  }

  // batches

  @Test
  void idsOfABatchComeInTheOrderGivenAndRise() {
    TaskType a = given.aType().create();
    TaskType b = given.aType().create();
    List<TaskDraft> batch = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      TaskType type = i % 3 == 0 ? a : b;
      String key = i % 2 == 0 ? null : "key " + i;
      batch.add(given.aWaitingTask().ofType(type).ofUser("user " + i).withKey(key).asDraft());
    }

    List<TaskId> ids = creator.create(CreateCall.of(batch));

    assertThat(ids).hasSize(1_000).doesNotHaveDuplicates();
    for (int i = 0; i < 1_000; i += 37) {
      assertThat(given.row(ids.get(i)).userId()).isEqualTo("user " + i);
    }
    assertThat(ids.stream().map(TaskId::number)).isSortedAccordingTo(Long::compare);
    assertThat(create(aTask(a)).number())
        .isGreaterThan(ids.stream().mapToLong(TaskId::number).max().orElseThrow());
  }

  @Test
  void oneUnknownTypeAmongAThousandTasksCreatesNone() {
    TaskType type = given.aType().create();
    create(aTask(type, "made before"));
    List<TaskDraft> batch = new ArrayList<>(Collections.nCopies(998, aTask(type)));
    batch.add(aTask(type, "taken by nobody"));
    batch.add(aTask(new TaskType("nosuchtype")));

    assertThatThrownBy(() -> creator.create(CreateCall.of(batch)))
        .isInstanceOf(NoSuchTaskTypeException.class);

    assertThat(rowsOf(type)).isEqualTo(1);
    assertThat(keysOf(type)).isEqualTo(1);
  }

  @Test
  void oneConflictingKeyAmongAThousandTasksCreatesNoneOfAnyType() {
    TaskType a = given.aType().create();
    TaskType b = given.aType().create();
    create(aTask(a));
    create(given.aWaitingTask().ofType(b).withKey("taken").withContext("one").asDraft());
    List<TaskDraft> batch = new ArrayList<>();
    for (int i = 0; i < 998; i++) {
      batch.add(aTask(i % 2 == 0 ? a : b, "key " + i));
    }
    batch.add(aTask(a));
    batch.add(given.aWaitingTask().ofType(b).withKey("taken").withContext("two").asDraft());

    assertThatThrownBy(() -> creator.create(CreateCall.of(batch)))
        .isInstanceOf(IdempotencyConflictException.class);

    assertThat(rowsOf(a)).isEqualTo(1);
    assertThat(rowsOf(b)).isEqualTo(1);
    assertThat(keysOf(a)).isZero();
    assertThat(keysOf(b)).isEqualTo(1);
  }

  // keys

  @Test
  void hundredParallelCreatesWithOneKeyMakeOneTask() {
    TaskType type = given.aType().create();

    List<TaskId> ids =
        AtOnce.from(100, i -> AtOnce.patiently(() -> create(aTask(type, "one key"))));

    assertThat(ids).containsOnly(ids.get(0));
    assertThat(rowsOf(type)).isEqualTo(1);
  }

  @Test
  void singleCreatesThatComeTogetherAreEachAnsweredForThemselves() {
    TaskType type = given.aType().create();
    TaskId standing = create(aTask(type, "taken"));
    TaskDraft conflicting =
        given.aWaitingTask().ofType(type).withContext("x").withKey("taken").asDraft();

    List<List<TaskId>> made =
        AtOnce.from(
            32,
            thread -> {
              List<TaskId> mine = new ArrayList<>();
              for (int i = 0; i < 10; i++) {
                String key = thread % 2 == 0 ? null : "key of " + thread + "-" + i;
                mine.add(
                    create(
                        given
                            .aWaitingTask()
                            .ofType(type)
                            .ofUser(thread + "-" + i)
                            .withKey(key)
                            .asDraft()));
                assertThat(create(aTask(type, "taken"))).isEqualTo(standing);
                if (thread == 0) {
                  assertThatThrownBy(() -> create(conflicting))
                      .isInstanceOf(IdempotencyConflictException.class);
                }
              }
              return mine;
            });

    for (int thread = 0; thread < 32; thread++) {
      assertThat(made.get(thread).stream().map(TaskId::number)).isSortedAccordingTo(Long::compare);
      for (int i = 0; i < 10; i++) {
        assertThat(given.row(made.get(thread).get(i)).userId()).isEqualTo(thread + "-" + i);
      }
    }
    assertThat(rowsOf(type)).isEqualTo(1 + 32 * 10);
    assertThat(keysOf(type)).isEqualTo(1 + 16 * 10);
  }

  @Test
  void sameKeyWithAnyOtherBodyIsAConflict() {
    TaskType type = given.aType().create();
    TaskDraft task =
        new TaskDraft("u", type, "s", "log", "context", 1, 0L, null, 2, 3, null, "the key");
    TaskId id = create(task);

    assertThat(create(task)).isEqualTo(id);
    for (TaskDraft other :
        List.of(
            new TaskDraft("v", type, "s", "log", "context", 1, 0L, null, 2, 3, null, "the key"),
            new TaskDraft("u", type, "t", "log", "context", 1, 0L, null, 2, 3, null, "the key"),
            new TaskDraft("u", type, "s", "lo", "context", 1, 0L, null, 2, 3, null, "the key"),
            new TaskDraft("u", type, "s", null, "context", 1, 0L, null, 2, 3, null, "the key"),
            new TaskDraft("u", type, "s", "log", "contexT", 1, 0L, null, 2, 3, null, "the key"),
            new TaskDraft("u", type, "s", "log", "context", 2, 0L, null, 2, 3, null, "the key"),
            new TaskDraft("u", type, "s", "log", "context", 1, 9L, null, 2, 3, null, "the key"),
            new TaskDraft("u", type, "s", "log", "context", 1, null, 9L, 2, 3, null, "the key"),
            new TaskDraft("u", type, "s", "log", "context", 1, 0L, null, 9, 3, null, "the key"),
            new TaskDraft("u", type, "s", "log", "context", 1, 0L, null, 2, 9, null, "the key"))) {
      assertThatThrownBy(() -> create(other))
          .as(other.toString())
          .isInstanceOf(IdempotencyConflictException.class);
    }
    assertThat(rowsOf(type)).isEqualTo(1);
  }

  @Test
  void sameKeyTwiceInABatchIsOneTaskOrAConflict() {
    TaskType type = given.aType().create();

    List<TaskId> ids =
        creator.create(
            CreateCall.of(List.of(aTask(type, "twice"), aTask(type), aTask(type, "twice"))));
    assertThat(ids.get(2)).isEqualTo(ids.get(0));
    assertThat(ids.get(1)).isNotEqualTo(ids.get(0));
    assertThat(rowsOf(type)).isEqualTo(2);

    TaskDraft other = given.aWaitingTask().ofType(type).withContext("x").withKey("new").asDraft();
    assertThatThrownBy(() -> creator.create(CreateCall.of(List.of(aTask(type, "new"), other))))
        .isInstanceOf(IdempotencyConflictException.class);
    assertThat(rowsOf(type)).isEqualTo(2);
    assertThat(keysOf(type)).isEqualTo(1);
  }

  @Test
  void keysThatDifferInCaseOrInASpaceAtTheEndAreDifferent() {
    TaskType type = given.aType().create();

    Set<TaskId> ids = new HashSet<>();
    for (String key : List.of("key", "KEY", "key ", " key", "key  ")) {
      TaskId id = create(aTask(type, key));
      assertThat(create(aTask(type, key))).isEqualTo(id);
      ids.add(id);
    }

    assertThat(ids).hasSize(5);
  }

  @Test
  void keyBelongsToItsType() {
    TaskType a = given.aType().create();
    TaskType b = given.aType().create();

    List<TaskId> ids =
        creator.create(CreateCall.of(List.of(aTask(a, "shared"), aTask(b, "shared"))));

    assertThat(create(aTask(a, "shared"))).isEqualTo(ids.get(0));
    assertThat(create(aTask(b, "shared"))).isEqualTo(ids.get(1));
  }

  @Test
  void batchWithKeysThatAreTakenAndFreeCreatesOnlyTheFreeOnes() {
    TaskType type = given.aType().create();
    TaskId before = create(aTask(type, "taken"));

    List<TaskId> ids =
        creator.create(
            CreateCall.of(
                List.of(aTask(type, "free"), aTask(type, "taken"), aTask(type, "free 2"))));

    assertThat(ids.get(1)).isEqualTo(before);
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(rowsOf(type)).isEqualTo(3);
  }

  @Test
  void expiredKeyMakesAnotherTaskAndStandsForThatOne() {
    TaskType type = given.aType().create();
    TaskId old = create(aTask(type, "again"));
    letKeyExpire(type, "again");

    TaskDraft next = given.aWaitingTask().ofType(type).withContext("x").withKey("again").asDraft();
    List<TaskId> ids = AtOnce.from(20, i -> create(next));

    assertThat(ids).containsOnly(ids.get(0)).doesNotContain(old);
    assertThat(rowsOf(type)).isEqualTo(2);
    assertThatThrownBy(() -> create(aTask(type, "again")))
        .isInstanceOf(IdempotencyConflictException.class);
  }

  @Test
  void onlyExpiredKeysAreForgotten() {
    TaskType type = given.aType().create();
    create(aTask(type, "old"));
    TaskId kept = create(aTask(type, "young"));
    letKeyExpire(type, "old");

    keyRetentionDuty.runOnce().get();

    assertThat(keysOf(type)).isEqualTo(1);
    assertThat(create(aTask(type, "young"))).isEqualTo(kept);
  }

  @Test
  void keyIsKnownInTheNextTableToo() {
    TaskType type = given.aType().create();
    TaskId first = create(aTask(type, "rolled"));
    TaskTable next = given.nextTable(type);

    assertThat(create(aTask(type, "rolled"))).isEqualTo(first);
    assertThatThrownBy(
            () ->
                create(
                    given.aWaitingTask().ofType(type).withContext("x").withKey("rolled").asDraft()))
        .isInstanceOf(IdempotencyConflictException.class);
    assertThat(create(aTask(type)).table()).isEqualTo(next);

    letKeyExpire(type, "rolled");
    assertThat(create(aTask(type, "rolled")).table()).isEqualTo(next);
    assertThat(given.row(first)).isNotNull();
  }

  @Test
  void batchesWithTheSameKeysInAnyOrderNeverDeadlock() {
    TaskType a = given.aType().create();
    TaskType b = given.aType().create();
    create(aTask(a));
    create(aTask(b));

    List<List<TaskId>> idsByThread =
        AtOnce.from(
            16,
            thread -> {
              Random random = new Random(thread);
              List<TaskId> ids = new ArrayList<>(Collections.nCopies(100, null));
              List<Integer> keys = new ArrayList<>(IntStream.range(0, 100).boxed().toList());
              Collections.shuffle(keys, random);
              List<TaskDraft> batch =
                  keys.stream().map(key -> aTask(key % 2 == 0 ? a : b, "key " + key)).toList();
              List<TaskId> made = creator.create(CreateCall.of(batch));
              for (int i = 0; i < 100; i++) {
                ids.set(keys.get(i), made.get(i));
              }
              return ids;
            });

    assertThat(idsByThread).containsOnly(idsByThread.get(0));
    assertThat(rowsOf(a) + rowsOf(b)).isEqualTo(2 + 100);
  }

  // due times

  @Test
  void priorityIsAHeadStartAndADelayIsExact() {
    TaskType type = given.aType().create();
    TaskRow plain = given.row(given.aWaitingTask().ofType(type).create());
    TaskRow urgent = given.row(given.aWaitingTask().ofType(type).withPriority(60).create());
    TaskRow later =
        given.row(
            given.aWaitingTask().ofType(type).withPriority(60).dueIn(5, TimeUnit.SECONDS).create());
    TaskRow at =
        given.row(
            create(
                new TaskDraft("u", type, "s", null, "", 60, null, 123L, null, null, null, null)));

    assertThat(plain.orderTime()).isEqualTo(plain.createTime());
    assertThat(urgent.orderTime()).isEqualTo(urgent.createTime() - 60_000);
    assertThat(later.orderTime()).isEqualTo(later.createTime() + 5_000);
    assertThat(at.orderTime()).isEqualTo(123);
    assertThat(List.of(urgent.priority(), later.priority(), at.priority())).containsOnly(60);
  }

  // ids and types

  @Test
  void parallelBatchesShareNoId() {
    TaskType type = given.aType().create();

    List<List<TaskId>> batches =
        AtOnce.from(8, i -> given.aWaitingTask().ofType(type).create(1_500));

    List<TaskId> all = batches.stream().flatMap(List::stream).toList();
    assertThat(new HashSet<>(all)).hasSize(8 * 1_500);
    for (List<TaskId> batch : batches) {
      assertThat(batch.stream().map(TaskId::number)).isSortedAccordingTo(Long::compare);
    }
    assertThat(rowsOf(type)).isEqualTo(8 * 1_500);
  }

  @Test
  void typeInsertedBySqlIsUsableAtOnceFromManyThreads() {
    for (int round = 0; round < 3; round++) {
      TaskType type = given.aType().create();

      List<TaskId> ids = AtOnce.from(8, i -> create(aTask(type)));

      assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.table().number() == 1);
      assertThat(rowsOf(type)).isEqualTo(8);
    }
  }

  @Test
  void manyTypesAreUsedForTheFirstTimeAtOnce() {
    List<TaskType> types = IntStream.range(0, 16).mapToObj(i -> given.aType().create()).toList();

    List<TaskId> ids = AtOnce.from(16, i -> create(aTask(types.get(i))));

    for (int i = 0; i < 16; i++) {
      assertThat(ids.get(i).type()).isEqualTo(types.get(i));
      assertThat(given.row(ids.get(i)).stage()).isEqualTo("first");
    }
  }
}
