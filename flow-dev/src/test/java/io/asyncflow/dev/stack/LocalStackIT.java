package io.asyncflow.dev.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.environment.ApiKey;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.host.OwnerOnlyFiles;
import io.asyncflow.dev.process.ChildProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher's order of things, with {@link StubProgram} in the place of flowsvr and worker. */
@Tag("faults")
@Timeout(120)
class LocalStackIT {
  @TempDir Path home;
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private Path data;

  @BeforeEach
  void buildPrograms() throws IOException {
    StubProgram.build(home, "flowsvr");
    StubProgram.build(home, "worker-example");
    data = home.resolve("my data");
  }

  @Test
  void programsAreToldWhereEverythingIs() throws IOException {
    try (LocalStack stack = stackOn(LoopbackPort.free())) {
      stack.start();
    }
    assertThat(Files.readAllLines(data.resolve("logs/flowsvr.log")))
        .anyMatch(line -> line.startsWith("FLOW_MYSQL_URL=jdbc:mysql://127.0.0.1:"))
        .anyMatch(line -> line.matches("FLOW_REDIS_URL=redis://:\\w{32}@127.0.0.1:\\d+"))
        .anyMatch(line -> line.matches("FLOW_MYSQL_PASSWORD=\\w{32}"))
        .contains("FLOW_MYSQL_USER=root", "FLOW_ADDRESS=127.0.0.1", "FLOW_EXIT_WITH_PARENT=true");
  }

  @Test
  void workersAreAwaitedUntilTheServerHasSeenThem() throws IOException {
    try (LocalStack stack = stackOn(LoopbackPort.free())) {
      stack.start();
      stack.startWorkers(2);
      stack.awaitWorkers(2);
      assertThat(Files.readAllLines(data.resolve("logs/flowsvr.log")))
          .contains("asked for workers, of which it knows 2");
      assertThat(data.resolve("logs/worker.log")).content().doesNotContain("FLOW_MYSQL_");
    }
    assertThat(shown.toString(StandardCharsets.UTF_8))
        .containsSubsequence(
            "MariaDB and Redis run", "flowsvr answers", "the workers ask for tasks");
  }

  @Test
  void othersSeeNothingOfIt() throws IOException {
    try (LocalStack stack = stackOn(LoopbackPort.free())) {
      stack.start();
      stack.startWorkers(1);
      String redis = Files.readString(data.resolve("redis/secrets")).split("\\s+")[1];
      assertThat(String.join(" ", stack.services()))
          .contains("mysql --defaults-file=\"" + data.resolve("mariadb/secrets") + "\" asyncflow")
          .doesNotContain(redis);
      for (String part : List.of("", "mariadb", "redis", "flowsvr", "worker", "logs", "store")) {
        assertThat(OwnerOnlyFiles.permissionsOf(data.resolve(part)))
            .as(part)
            .isEqualTo("rwx------");
      }
      for (String log : List.of("flowsvr.log", "worker.log")) {
        assertThat(OwnerOnlyFiles.permissionsOf(data.resolve("logs").resolve(log)))
            .as(log)
            .isEqualTo("rw-------");
      }
    }
  }

  @Test
  void readinessIsAskedByOneClient() {
    long before = httpClients();
    try (LocalStack stack = stackOn(LoopbackPort.free())) {
      stack.start();
      assertThat(httpClients() - before).isLessThanOrEqualTo(1);
    }
  }

  /** Each has a thread, and keeps it until the collector finds the client. */
  private static long httpClients() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("HttpClient-\\d+-SelectorManager"))
        .count();
  }

  @Test
  void everythingEndsWithTheStack() {
    List<ProcessHandle> children;
    try (LocalStack stack = stackOn(LoopbackPort.free())) {
      stack.start();
      stack.startWorkers(2);
      children = childrenIn(data);
      assertThat(children).hasSizeGreaterThanOrEqualTo(5);
    }
    assertThat(children).noneMatch(ChildProcess::runsAProgram);
  }

  @Test
  void programThatDiesIsStartedAgainAndNamedWithItsLogIfThatDoesNotHelp() throws Exception {
    try (LocalStack stack = stackOn(LoopbackPort.free())) {
      stack.start();
      List<ProcessHandle> before = childrenIn(data.resolve("flowsvr"));
      before.forEach(ProcessHandle::destroyForcibly);
      List<ProcessHandle> again =
          await()
              .until(
                  () -> childrenIn(data.resolve("flowsvr")),
                  now -> !now.isEmpty() && now.stream().noneMatch(before::contains));
      assertThat(stack.failure()).isNotDone();
      assertThat(data.resolve("logs/flowsvr.log.1")).content().contains("FLOW_PORT=");

      again.forEach(ProcessHandle::destroyForcibly);

      assertThat(stack.failure().get(30, TimeUnit.SECONDS))
          .isEqualTo(
              "flowsvr ended with exit code 137 as soon as it was started again; its log is "
                  + data.resolve("logs/flowsvr.log")
                  + ".");
    }
  }

  @Test
  void databaseOrRedisThatDiesIsStartedAgainButNotForEver() throws Exception {
    try (LocalStack stack = stackOn(LoopbackPort.free())) {
      stack.start();
      ProcessHandle first = redis();
      first.destroyForcibly();
      ProcessHandle second =
          await().until(this::redis, again -> again != null && again.pid() != first.pid());

      second.destroyForcibly();

      // It may have been ready by then, or not yet: the words differ.
      assertThat(stack.failure().get(30, TimeUnit.SECONDS))
          .startsWith("Redis ")
          .contains("ended with exit code 137");
    }
  }

  @Test
  void dataOfAnotherBaselineIsMovedAsideAndAllStartsAnew() throws IOException {
    Path marker = StubProgram.otherBaseline(data);
    Files.createDirectories(marker.getParent());
    Files.createFile(marker);
    try (LocalStack stack = stackOn(LoopbackPort.free());
        LocalStack second = stackOn(LoopbackPort.free())) {
      stack.start();
      assertThatThrownBy(second::start)
          .hasMessageContaining("is in use by another running Asyncflow");
    }
    try (LocalStack again = stackOn(LoopbackPort.free())) {
      again.start();
    }

    assertThat(marker).doesNotExist();
    Path aside = onlyMovedAside();
    assertThat(StubProgram.otherBaseline(aside)).exists();
    assertThat(aside.resolve("mariadb/data")).isDirectory();
    assertThat(data.resolve("mariadb/data")).isDirectory();
    assertThat(
            shown
                .toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("another baseline")))
        .singleElement()
        .asString()
        .startsWith("The data in " + data + " was made from another baseline of the schema")
        .contains("it is in " + aside + " now");
    assertThat(childrenIn(home)).isEmpty();
  }

  private Path onlyMovedAside() throws IOException {
    try (Stream<Path> files = Files.list(home)) {
      List<Path> moved = files.filter(file -> file.toString().startsWith(data + ".old-")).toList();
      assertThat(moved).hasSize(1);
      return moved.get(0);
    }
  }

  @Test
  void takenPortIsRefusedBeforeAnythingStarts() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        LocalStack stack = stackOn(taken.getLocalPort())) {
      assertThatThrownBy(stack::start)
          .hasMessage(
              "Port %d on 127.0.0.1 is taken: choose another with --port.", taken.getLocalPort());
      assertThat(data.resolve("mariadb")).doesNotExist();
    }
  }

  @Test
  void directoryOfARunningStackIsRefused() {
    try (LocalStack stack = stackOn(LoopbackPort.free());
        LocalStack second = stackOn(LoopbackPort.free())) {
      stack.start();
      assertThatThrownBy(second::start)
          .hasMessageContaining("is in use by another running Asyncflow");
      assertThat(stack.failure()).isNotDone();
    }
  }

  @Test
  void stackClosedWhileItStartsLeavesNothingRunning() {
    LocalStack stack = stackOn(LoopbackPort.free());
    stack.close();
    assertThatThrownBy(stack::start).hasMessage("Asyncflow was stopped while it was starting.");
    assertThat(childrenIn(data)).isEmpty();
  }

  @Test
  void missingBuildIsRefusedInOneSentence() throws IOException {
    Files.delete(home.resolve("flowsvr/target/flowsvr-1-exec.jar"));
    try (LocalStack stack = stackOn(LoopbackPort.free())) {
      assertThatThrownBy(stack::start)
          .hasMessage(
              "There is no flowsvr in %s: build it with ./mvnw -DskipTests package.",
              home.resolve("flowsvr/target"));
    }
  }

  private LocalStack stackOn(int port) {
    return new LocalStack(
        new Installation(home),
        data,
        ApiKey.in(Map.of()),
        () -> ClaimedPort.of(port),
        new StartDisplay(new PrintStream(shown, true, StandardCharsets.UTF_8)));
  }

  private ProcessHandle redis() {
    return childrenIn(data.resolve("redis")).stream()
        .filter(child -> child.info().command().orElse("").contains("redis-server"))
        .findFirst()
        .orElse(null);
  }

  private static List<ProcessHandle> childrenIn(Path directory) {
    return ProcessHandle.current()
        .children()
        .filter(
            child ->
                Stream.of(child.info().arguments().orElse(new String[0]))
                    .anyMatch(argument -> argument.contains(directory.toString())))
        .toList();
  }
}
