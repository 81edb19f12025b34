package io.asyncflow.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.fake.FakeFlowServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whole workers whose stage is run in batches; the context of a task is its key. */
class BatchWorkerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final FakeFlowServer server =
      new FakeFlowServer()
          .withType("tts", Duration.ofSeconds(30), Duration.ofSeconds(20), Duration.ofSeconds(20));
  private final ConcurrentLinkedQueue<List<String>> batches = new ConcurrentLinkedQueue<>();
  private Worker worker;

  /** What a test does with a batch. */
  @FunctionalInterface
  private interface Work {
    void on(List<BatchRun> batch) throws Exception;
  }

  private void start(int maxTasks, long maxSize, Work work) {
    BatchStageHandler handler =
        new BatchStageHandler() {
          @Override
          public void handle(List<BatchRun> batch) throws Exception {
            batches.add(batch.stream().map(run -> run.context().rawContext()).toList());
            work.on(batch);
          }

          @Override
          public int maxTasks() {
            return maxTasks;
          }

          @Override
          public Object key(StageContext context) {
            return context.rawContext();
          }

          @Override
          public long size(StageContext context) {
            return context.rawContext().length();
          }

          @Override
          public long maxSize() {
            return maxSize;
          }
        };
    worker =
        Worker.builder()
            .client(server)
            .stopsWithTheJvm(false)
            .slots("cpu", 1)
            .batchHandler("tts", "speak", handler, StageNeeds.slots(1))
            .build();
    worker.start();
  }

  private List<String> create(String... contexts) {
    List<String> ids = new ArrayList<>();
    for (String context : contexts) {
      ids.add(server.createTask(NewTask.of("tts", "speak", "me", context)));
    }
    return ids;
  }

  private void awaitStatus(TaskStatus status, List<String> taskIds) throws InterruptedException {
    for (String taskId : taskIds) {
      assertThat(server.awaitStatus(taskId, status, PATIENCE)).as(taskId).isTrue();
    }
  }

  private static void completeAll(List<BatchRun> batch) {
    batch.forEach(run -> run.complete(StageResult.done(run.context().taskId())));
  }

  @AfterEach
  void close() {
    worker.close();
  }

  @Test
  void dueTasksWithTheSameKeyGoTogetherAndEachHasItsOwnResult() throws InterruptedException {
    List<String> tasks = create("a", "b", "a", "b", "a");
    start(16, 100, BatchWorkerTest::completeAll);
    awaitStatus(TaskStatus.SUCCESS, tasks);
    assertThat(batches).containsExactly(List.of("a", "a", "a"), List.of("b", "b"));
    for (String task : tasks) {
      assertThat(server.getTask(task).result()).isEqualTo(task);
    }
  }

  @Test
  void aBatchIsBoundByItsTasksAndByTheirSize() throws InterruptedException {
    List<String> tasks = create("four", "four", "four", "four", "a", "a", "a", "a", "a");
    start(4, 10, BatchWorkerTest::completeAll);
    awaitStatus(TaskStatus.SUCCESS, tasks);
    assertThat(batches)
        .allSatisfy(batch -> assertThat(String.join("", batch)).hasSizeBetween(1, 10));
    assertThat(batches).allSatisfy(batch -> assertThat(batch).hasSizeBetween(1, 4));
    assertThat(batches).contains(List.of("four", "four"));
  }

  @Test
  void oneThatFailsFailsAlone() throws InterruptedException {
    List<String> tasks = create("a", "a", "a");
    start(
        16,
        100,
        batch -> {
          batch.get(0).fail(new NonRetryableException("no such voice"));
          batch.get(1).complete(StageResult.done("well"));
          batch.get(1).fail(new IllegalStateException("too late to be heard"));
        });
    awaitStatus(TaskStatus.FAILED, List.of(tasks.get(0), tasks.get(2)));
    awaitStatus(TaskStatus.SUCCESS, List.of(tasks.get(1)));
    assertThat(server.accepted())
        .filteredOn(report -> report.outcome() == Outcome.FAIL)
        .extracting(Report::errMsg)
        .containsExactlyInAnyOrder("no such voice", "the handler gave no result for this task");
  }

  @Test
  void aHandlerThatThrowsFailsThoseOfWhichItSaidNothing() throws InterruptedException {
    List<String> tasks = create("a", "a");
    start(
        16,
        100,
        batch -> {
          batch.get(0).complete(StageResult.done());
          throw new NonRetryableException("broken");
        });
    awaitStatus(TaskStatus.SUCCESS, tasks.subList(0, 1));
    awaitStatus(TaskStatus.FAILED, tasks.subList(1, 2));
  }

  @Test
  void oneThatIsCancelledIsLeftOutAndTheOthersGoOn() throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch letGo = new CountDownLatch(1);
    List<String> tasks = create("a", "a", "a");
    start(
        16,
        100,
        batch -> {
          started.countDown();
          letGo.await();
          completeAll(batch);
        });
    assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    server.cancelTask(tasks.get(1));
    await()
        .atMost(PATIENCE)
        .until(() -> server.heartbeats().stream().anyMatch(beat -> beat.tasks().size() == 2));
    assertThat(worker.view().types().get(0).overdue()).isZero();
    letGo.countDown();
    awaitStatus(TaskStatus.SUCCESS, List.of(tasks.get(0), tasks.get(2)));
    assertThat(server.reports()).extracting(Report::taskId).doesNotContain(tasks.get(1));
  }

  @Test
  void allThatAreCancelledInterruptTheHandler() throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    List<String> tasks = create("a", "a");
    start(
        16,
        100,
        batch -> {
          started.countDown();
          try {
            new CountDownLatch(1).await();
          } finally {
            interrupted.countDown();
          }
        });
    assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    tasks.forEach(server::cancelTask);
    assertThat(interrupted.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    await().atMost(PATIENCE).until(() -> worker.view().freeSlots() == 1);
  }

  @Test
  void batchesThatLackMemoryShrinkUntilTheyFitAndNoAttemptIsCounted() throws InterruptedException {
    String[] contexts = new String[16];
    Arrays.fill(contexts, "a");
    List<String> tasks = create(contexts);
    start(
        16,
        100,
        batch -> {
          if (batch.size() > 4) {
            throw new ResourceException("out of memory");
          }
          completeAll(batch);
        });
    awaitStatus(TaskStatus.SUCCESS, tasks);
    assertThat(batches).extracting(List::size).startsWith(16);
    assertThat(batches)
        .as("16, and perhaps one of 5 to 8")
        .filteredOn(batch -> batch.size() > 4)
        .hasSizeLessThanOrEqualTo(2);
    assertThat(worker.view().quarantined()).isEmpty();
    for (String task : tasks) {
      assertThat(server.getTask(task).crtRetryNum()).isZero();
    }
  }
}
