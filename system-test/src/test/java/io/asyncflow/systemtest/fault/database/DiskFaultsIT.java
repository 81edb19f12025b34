package io.asyncflow.systemtest.fault.database;

import static io.asyncflow.systemtest.measure.Figures.ms;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewTask;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.Script;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A disk under the database that is full. The number is a row of the matrix. */
@Tag("faults")
@Timeout(300)
class DiskFaultsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int MEGABYTES = 320;
  private static final int PIECE = 50;

  /** Ends at once, and takes up room until then. */
  private static final Script BULKY = Script.smooth().with("a", "SLEEP 0 " + "x".repeat(3_000));

  private final Path disk = Path.of("target", "disk-" + ProcessHandle.current().pid());

  @BeforeEach
  void mountASmallDisk() throws IOException {
    Files.createDirectories(disk);
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=" + MEGABYTES + "m", "tmpfs", disk.toString()),
        "needs the right to mount a file system");
  }

  @AfterEach
  void unmountIt() throws IOException {
    run("umount", disk.toString());
    Files.deleteIfExists(disk);
  }

  private static boolean run(String... command) throws IOException {
    return new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue() == 0;
  }

  @Test
  void row17_fullDiskRefusesWritesAndIsForgottenWhenThereIsRoom() throws IOException {
    try (Cluster cluster =
        Cluster.startWithoutRedis("row17", disk.resolve("mariadb").toAbsolutePath())) {
      ServerNode server = cluster.startServers(1).get(0);
      try (Scenario scenario = Scenario.of(cluster, "row17", TypePlan.quick())) {
        FlowClient client = scenario.client(server);
        String known = scenario.create(client, 10, Script.smooth()).get(0);
        List<Integer> refusals = new ArrayList<>();
        List<List<NewTask>> tried = new ArrayList<>();
        Stopwatch watch = Stopwatch.start();
        scenario.fault(
            "disk full",
            () -> {
              Path ballast = fill();
              for (int i = 0; refusals.size() < 5; i++) {
                assertThat(i).as("calls before the disk is full").isLessThan(2_000);
                List<NewTask> piece = piece(scenario);
                tried.add(piece);
                refusals.addAll(refusalOf(() -> client.createTasks(piece)));
                assertThat(client.getTask(known).taskId()).isEqualTo(known);
              }
              delete(ballast);
              watchRecovery(scenario, client, watch);
            });
        scenario.healed();
        scenario.startWorker(server);
        scenario.awaitDrained(PATIENCE);

        assertThat(refusals).containsOnly(ErrorCode.UNAVAILABLE.code());
        assertThat(tried).allMatch(piece -> isWhole(scenario, piece));
        assertThat(scenario.verdict().violations()).isEmpty();
      }
    }
  }

  private static void watchRecovery(Scenario scenario, FlowClient client, Stopwatch begin) {
    Stopwatch watch = Stopwatch.start();
    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .until(() -> refusalOf(() -> client.createTasks(piece(scenario))).isEmpty());
    Figures.print(
        "row 17: disk full under the database; creates were refused with 503 and reads went on for"
            + " %d ms; the first create succeeded %d ms after there was room",
        ms(begin.until(watch.startedAt())), ms(watch.elapsed()));
  }

  private Path fill() {
    Path ballast = disk.resolve("ballast");
    byte[] zeros = new byte[64 * 1024];
    try (OutputStream file = Files.newOutputStream(ballast)) {
      while (true) {
        file.write(zeros);
      }
    } catch (IOException e) {
      return ballast; // it is full
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<NewTask> piece(Scenario scenario) {
    return IntStream.range(0, PIECE).mapToObj(i -> scenario.newTask(BULKY)).toList();
  }

  private static List<Integer> refusalOf(Runnable call) {
    try {
      call.run();
      return List.of();
    } catch (FlowException e) {
      return List.of(e.errorCode().code());
    }
  }

  /** All of its tasks are there, or none. */
  private static boolean isWhole(Scenario scenario, List<NewTask> piece) {
    Map<String, Long> rows =
        scenario.audit().rows().stream()
            .map(row -> row.key())
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    long there = piece.stream().filter(task -> rows.containsKey(task.idempotencyKey())).count();
    return there == 0 || there == piece.size();
  }
}
