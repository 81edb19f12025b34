package io.asyncflow.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.worker.StubHttpServer.Seen;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker in a process of its own, as plain Java starts it. */
@Tag("faults")
class WorkerProcessIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path spool;

  /** Starts and lets main end: the worker alone keeps the process. */
  static final class Main {
    public static void main(String[] args) {
      Worker.builder()
          .url(args[0])
          .spoolDir(Path.of(args[1]))
          .workerId(args[2])
          .handler("lark", "one", context -> StageResult.done())
          .build()
          .start();
    }
  }

  /** All settings are the defaults; its handler ends the JVM. */
  static final class Exiting {
    public static void main(String[] args) {
      Worker.builder()
          .url(args[0])
          .spoolDir(Path.of(args[1]))
          .workerId(args[2])
          .handler(
              "lark",
              "one",
              context -> {
                System.exit(3);
                return StageResult.done();
              })
          .build()
          .start();
    }
  }

  /** Starts two workers and ends. */
  static final class TwoWorkers {
    public static void main(String[] args) {
      for (int i = 0; i < 2; i++) {
        Worker worker =
            Worker.builder()
                .url("http://127.0.0.1:1")
                .handler("lark", "one", context -> StageResult.done())
                .build();
        worker.start();
        worker.close();
      }
    }
  }

  @Test
  void thatThereIsNoLogIsSaidOnce() throws Exception {
    assertMissingLogIsSaidOnce(withoutProvider());
  }

  @Test
  void aProviderThatCannotBeLoadedIsNone(@TempDir Path broken) throws Exception {
    Path services = Files.createDirectories(broken.resolve("META-INF/services"));
    Files.writeString(services.resolve("org.slf4j.spi.SLF4JServiceProvider"), "no.such.Provider");
    assertMissingLogIsSaidOnce(broken + File.pathSeparator + withoutProvider());
  }

  private static String withoutProvider() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("logback"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private void assertMissingLogIsSaidOnce(String classPath) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Duser.home=" + spool,
                "-cp",
                classPath,
                TwoWorkers.class.getName())
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).isZero();
    assertThat(printed.lines().filter(line -> line.startsWith("asyncflow: ")))
        .singleElement()
        .asString()
        .contains("logs nothing")
        .contains("slf4j-simple");
  }

  @Test
  void sigtermStopsItInOrder() throws Exception {
    try (StubHttpServer server = new StubHttpServer()) {
      Process process = start(server);
      try {
        await().atMost(PATIENCE).until(() -> !server.seen("hold_task").isEmpty());
        assertThat(process.isAlive()).isTrue();
        process.destroy();
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        List<Seen> holds = server.seen("hold_task");
        assertThat(holds).as("the parked hold was cut and asked for again").hasSize(2);
        assertThat(holds.get(1).field("holdId")).isEqualTo(holds.get(0).field("holdId"));
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void aHandlerThatCallsSystemExitHasFailedAndHoldsUpNoStop() throws Exception {
    try (StubHttpServer server = new StubHttpServer()) {
      server.offerTask();
      long begin = System.nanoTime();
      Process process = start(server, "w1", Exiting.class);
      try {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(3);
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
            .as("no grace is waited for")
            .isLessThan(WorkerSettings.defaults().shutdownGrace());
        Seen report = server.seen("set_tasks").get(0);
        assertThat(report.field("outcome")).isEqualTo("RETRY");
        assertThat(report.field("errMsg")).contains("System.exit");
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void theProcessOfADrainedWorkerEndsByItself() throws Exception {
    try (StubHttpServer server = new StubHttpServer()) {
      Process process = start(server);
      try {
        await().atMost(PATIENCE).until(() -> !server.seen("hold_task").isEmpty());
        server.drain();
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void aReportThatFoundNoServerOutlivesKillMinusNine() throws Exception {
    try (StubHttpServer server = new StubHttpServer()) {
      server.loseReports(true);
      server.offerTask();
      Process first = start(server, "first");
      try {
        await().atMost(PATIENCE).until(() -> spooled() == 1);
      } finally {
        first.destroyForcibly().waitFor();
      }
      assertThat(server.seen("set_tasks")).isEmpty();
      int holds = server.seen("hold_task").size();

      server.loseReports(false);
      Process second = start(server, "second");
      try {
        await().atMost(PATIENCE).until(() -> server.seen("hold_task").size() > holds);
        Seen report = server.seen("set_tasks").get(0);
        assertThat(report.field("workerId")).isEqualTo("first");
        assertThat(report.field("outcome")).isEqualTo("SUCCESS");
        assertThat(server.all().indexOf(report))
            .as("told before anything new is asked for")
            .isLessThan(server.all().indexOf(server.seen("hold_task").get(holds)));
        await().atMost(PATIENCE).until(() -> spooled() == 0);
        assertThat(server.seen("set_tasks")).hasSize(1);
      } finally {
        second.destroyForcibly();
      }
    }
  }

  /** Passes over files that are gone when it comes to them: the worker moves them meanwhile. */
  private int spooled() throws IOException {
    List<Path> reports = new ArrayList<>();
    Files.walkFileTree(
        spool,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".json")) {
              reports.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure) {
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException failure) {
            return FileVisitResult.CONTINUE;
          }
        });
    return reports.size();
  }

  private Process start(StubHttpServer server) throws IOException {
    return start(server, "w1");
  }

  private Process start(StubHttpServer server, String workerId) throws IOException {
    return start(server, workerId, Main.class);
  }

  private Process start(StubHttpServer server, String workerId, Class<?> main) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName(),
            server.url(),
            spool.toString(),
            workerId)
        .inheritIO()
        .start();
  }
}
