package io.asyncflow.systemtest.fault.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.scenario.Window;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** New tasks that are given to parked holds, while others are claimed and servers die. */
@Tag("faults")
@Timeout(300)
class HandoverFaultsIT {

  private static final String TYPE = "row48";
  private static final int CREATORS = 64;
  private static final int HOLDS = 200;
  private static final int ROUNDS = 40;
  private static final int KILLS = 2;
  private static final int LEASE = 3;

  private final Map<String, Creation> created = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> accepted = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Throwable> wrong = new ConcurrentLinkedQueue<>();
  private List<ServerNode> servers;

  /** From the call of a create to its answer; ns, monotonic. */
  private record Creation(long sent, long answered) {}

  /** A row of a task that was held once. */
  private record Held(String id, long orderTime, long createTime, long holdTime) {

    /** As what a claim takes hardly ever is. */
    boolean isBornHeld() {
      return createTime == holdTime;
    }
  }

  @Test
  void row48_taskThatIsBornHeldOvertakesNone() throws SQLException {
    try (Cluster cluster = Cluster.startWithoutRedis("handover")) {
      servers = cluster.startServers(2);
      servers
          .get(0)
          .client()
          .saveTaskType(TaskTypeSettings.named(TYPE).withLeaseSeconds(LEASE).withMaxDelivery(100));
      List<Thread> creators = new ArrayList<>();
      BooleanSupplier goesOn = () -> created.size() > accepted.size() || areAlive(creators);
      start(HOLDS, number -> hold(number, goesOn));
      synchronized (creators) {
        creators.addAll(start(CREATORS, this::create));
      }
      for (int kill = 0; kill < KILLS; kill++) {
        Window.pass(Duration.ofSeconds(3));
        servers.get(1).kill();
        servers.get(1).start();
        servers.get(1).awaitReady();
      }
      join(creators);
      await().atMost(Duration.ofMinutes(1)).until(() -> accepted.size() >= created.size());
      assertThat(wrong).isEmpty();
      assertThat(created).hasSize(CREATORS * ROUNDS);
      assertThat(accepted.keySet()).containsExactlyInAnyOrderElementsOf(created.keySet());
      assertThat(accepted.values()).as("accepted reports").allMatch(count -> count.get() == 1);

      List<Held> rows = heldOnce(cluster);
      long born = rows.stream().filter(Held::isBornHeld).count();
      Figures.print(
          "row 48: %d creators, %d parked holds, two servers, %d kills: of %d tasks %d born held",
          CREATORS, HOLDS, KILLS, created.size(), born);
      assertThat(born).isPositive();
      assertThat(overtakings(rows)).isEmpty();
    }
  }

  private static List<Thread> start(int count, IntConsumer work) {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      Thread thread = new Thread(() -> work.accept(number));
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    return threads;
  }

  private static boolean areAlive(List<Thread> threads) {
    synchronized (threads) {
      return threads.isEmpty() || threads.stream().anyMatch(Thread::isAlive);
    }
  }

  private static void join(List<Thread> threads) {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** With pauses, so that holds are parked again and again. */
  private void create(int number) {
    Random random = new Random(number);
    for (int round = 0; round < ROUNDS; round++) {
      NewTask task =
          NewTask.of(TYPE, "a", "u", "{}")
              .withPriority(random.nextInt(4))
              .withIdempotencyKey(number + "-" + round);
      long sent = System.nanoTime();
      String id = untilAnswered(number + round, client -> client.createTask(task));
      created.put(id, new Creation(sent, System.nanoTime()));
      Window.pass(Duration.ofMillis(random.nextInt(300)));
    }
  }

  private void hold(int number, BooleanSupplier goesOn) {
    for (int round = 0; goesOn.getAsBoolean(); round++) {
      HoldRequest request =
          new HoldRequest(TYPE, 1, "w" + number, 2_000, "h" + round, List.of("a"));
      List<Task> held = untilAnswered(number + round, client -> client.holdTasks(request));
      for (Task task : held) {
        Report report =
            Report.of(task.taskId(), task.workerId(), task.leaseEpoch(), Outcome.SUCCESS)
                .withReportId("r" + number + "-" + round);
        boolean stands =
            untilAnswered(number, client -> client.report(List.of(report))).get(0).stands();
        if (stands) {
          accepted.computeIfAbsent(task.taskId(), id -> new AtomicInteger()).incrementAndGet();
        }
      }
    }
  }

  /** Asks the next server after each failure, as a client does. */
  private <T> T untilAnswered(int first, Function<FlowClient, T> call) {
    for (int attempt = 0; ; attempt++) {
      try {
        return call.apply(servers.get((first + attempt) % servers.size()).client());
      } catch (FlowException e) {
        if (!e.retryable()) {
          wrong.add(e);
          throw e;
        }
        Window.pass(Duration.ofMillis(20));
      }
    }
  }

  private static List<Held> heldOnce(Cluster cluster) throws SQLException {
    List<Held> rows = new ArrayList<>();
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT CONCAT(id, '_"
                    + TYPE
                    + "_task_1'), order_time, create_time, hold_time"
                    + " FROM t_"
                    + TYPE
                    + "_task_1 WHERE lease_epoch = 1")) {
      while (found.next()) {
        rows.add(
            new Held(found.getString(1), found.getLong(2), found.getLong(3), found.getLong(4)));
      }
    }
    return rows;
  }

  /** Pairs of a task that was born held, and one that was due before it, known, and held later. */
  private List<String> overtakings(List<Held> rows) {
    List<String> found = new ArrayList<>();
    for (Held born : rows) {
      Creation own = created.get(born.id());
      if (!born.isBornHeld() || own == null) {
        continue;
      }
      rows.stream()
          .filter(other -> other.holdTime() > born.holdTime())
          .filter(other -> other.orderTime() < born.orderTime())
          .filter(other -> created.containsKey(other.id()))
          .filter(other -> created.get(other.id()).answered() - own.sent() < 0)
          .forEach(other -> found.add(born + " overtook " + other));
    }
    return found;
  }
}
