package io.asyncflow.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.worker.StubHttpServer.Seen;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A worker in a process of its own, as plain Java starts it. */
class WorkerProcessIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Starts and lets main end: the worker alone keeps the process. */
  static final class Main {
    public static void main(String[] args) {
      Worker.builder()
          .url(args[0])
          .handler("lark", "one", context -> StageResult.done())
          .build()
          .start();
    }
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
  void theProcessOfAWorkerThatWasSentAwayEndsByItself() throws Exception {
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

  private static Process start(StubHttpServer server) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            server.url())
        .inheritIO()
        .start();
  }
}
