package io.asyncflow.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.WorkerView.TypeView;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Three workers that come and go, and a server that loses answers and goes away. When all is well
 * again everything is done, and nothing was committed twice.
 */
class WorkersUnderFaultsTest {

  private static final long SEED = 20261121;
  private static final int TASKS = 300;
  private static final int FAULTS = 60;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Random random = new Random(SEED);
  private final FakeFlowServer server =
      new FakeFlowServer()
          .withType("lark", Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1));
  private final List<Worker> workers = new ArrayList<>();
  private final CountDownLatch never = new CountDownLatch(1);

  private Worker started() {
    Worker worker =
        Worker.builder()
            .client(server)
            .threads(4)
            .stopsWithTheJvm(false)
            .handler("lark", "one", this::one)
            .slotHandler("lark", "two", c -> StageResult.next("three", c.rawContext() + "2"))
            .handler("lark", "three", c -> StageResult.done(c.rawContext() + "3"))
            .build();
    worker.start();
    return worker;
  }

  /** Takes a moment, so that a stop finds something running. */
  private StageResult one(StageContext context) throws InterruptedException {
    never.await(5, TimeUnit.MILLISECONDS);
    return StageResult.next("two", "1");
  }

  @Test
  void everythingIsDoneOnceAndNothingIsLeftBehind() throws Exception {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      ids.add(server.createTask(NewTask.of("lark", "one", "me", "")));
    }
    for (int i = 0; i < 3; i++) {
      workers.add(started());
    }
    for (int i = 0; i < FAULTS; i++) {
      oneFault();
    }
    server.setDown(false);
    server.swallowAnswers(0);

    for (String id : ids) {
      assertThat(server.awaitStatus(id, TaskStatus.SUCCESS, PATIENCE))
          .as("seed %d: %s", SEED, id)
          .isTrue();
      assertThat(server.getTask(id).result()).isEqualTo("123");
    }
    Map<String, List<Report>> commits =
        server.accepted().stream()
            .filter(r -> r.outcome() != Outcome.RELEASE)
            .collect(Collectors.groupingBy(Report::taskId));
    assertThat(commits.values()).allMatch(reports -> reports.size() == 3);

    await().atMost(PATIENCE).until(() -> workers.stream().allMatch(WorkersUnderFaultsTest::idle));
    workers.forEach(worker -> assertThat(worker.stop(PATIENCE)).isTrue());
  }

  /** A worker whose process may be killed: then none of its calls arrives any more. */
  private final class Mortal implements InvocationHandler {

    private final FakeFlowServer alive;
    private final CountDownLatch killed = new CountDownLatch(1);
    private final Set<Thread> calling = ConcurrentHashMap.newKeySet();

    Mortal(FakeFlowServer alive, boolean killsTheOthers) {
      this.alive = alive;
      workers.add(
          Worker.builder()
              .client(
                  (FlowClient)
                      Proxy.newProxyInstance(
                          getClass().getClassLoader(), new Class<?>[] {FlowClient.class}, this))
              .threads(8)
              .stopsWithTheJvm(false)
              .handler("lark", "one", context -> run(context, killsTheOthers))
              .build());
      workers.get(workers.size() - 1).start();
    }

    private StageResult run(StageContext context, boolean killsTheOthers) throws Exception {
      if (context.rawContext().equals("poison")) {
        killed.countDown();
        never.await();
      } else if (killsTheOthers) {
        never.await();
      }
      return StageResult.done();
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
      calling.add(Thread.currentThread());
      try {
        if (killed.getCount() == 0 && never.getCount() > 0) { // the end of the test takes no time
          throw new FlowUnreachableException("killed", null);
        }
        return method.invoke(alive, arguments);
      } catch (InvocationTargetException thrown) {
        throw thrown.getCause();
      } finally {
        calling.remove(Thread.currentThread());
      }
    }

    /** Cuts the calls that arrived before the kill: a parked hold would still take tasks. */
    void cutCalls() {
      await()
          .until(
              () -> {
                calling.forEach(Thread::interrupt);
                return calling.isEmpty();
              });
    }
  }

  @Test
  void threeKillsEndAPoisonTaskAndSpareThoseBesideIt() throws Exception {
    AtomicLong leap = new AtomicLong();
    FakeFlowServer leaping = new FakeFlowServer(() -> System.nanoTime() + leap.get());
    leaping.saveTaskType(TaskTypeSettings.named("lark").withMaxDelivery(2));
    List<String> innocent = new ArrayList<>();
    String poison = null;
    for (int i = 0; i < 6; i++) {
      String id = leaping.createTask(NewTask.of("lark", "one", "me", i == 3 ? "poison" : ""));
      if (i == 3) {
        poison = id;
      } else {
        innocent.add(id);
      }
    }
    for (int kill = 1; kill <= 3; kill++) {
      Mortal worker = new Mortal(leaping, kill <= 2);
      assertThat(worker.killed.await(30, TimeUnit.SECONDS)).as("kill %d", kill).isTrue();
      worker.cutCalls();
      leap.addAndGet(Duration.ofMinutes(1).toNanos());
    }
    new Mortal(leaping, false);

    for (String id : innocent) {
      assertThat(leaping.awaitStatus(id, TaskStatus.SUCCESS, PATIENCE)).isTrue();
    }
    assertThat(leaping.getTask(poison).taskStatus()).isEqualTo(TaskStatus.FAILED);
    assertThat(leaping.getTask(poison).scheduleLog()).contains("poison");
  }

  @AfterEach
  void stopAll() {
    never.countDown();
    workers.forEach(worker -> worker.stop(Duration.ZERO));
  }

  private void oneFault() throws InterruptedException {
    switch (random.nextInt(4)) {
      case 0 -> server.swallowAnswers(1 + random.nextInt(5));
      case 1 -> server.setDown(true);
      case 2 -> {
        int victim = random.nextInt(workers.size());
        workers.get(victim).stop(Duration.ofMillis(random.nextInt(20)));
        workers.set(victim, started());
      }
      default -> server.setDown(false);
    }
    never.await(random.nextInt(50), TimeUnit.MILLISECONDS);
    server.setDown(false);
  }

  private static boolean idle(Worker worker) {
    TypeView type = worker.view().types().get(0);
    return type.queued() + type.working() + type.reporting() + type.overdue() == 0
        && worker.view().freeSlots() == worker.view().slots();
  }
}
