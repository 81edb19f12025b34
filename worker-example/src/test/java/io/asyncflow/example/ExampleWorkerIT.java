package io.asyncflow.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The worker as a process of its own, with no flowsvr there. */
@Timeout(60)
class ExampleWorkerIT {

  @TempDir Path directory;
  private Process worker;

  @AfterEach
  void leaveNoProcessBehind() {
    worker.destroyForcibly();
  }

  @Test
  void theWorkerEndsWithItsLauncher() throws Exception {
    start("true");
    awaitLine("started: [lark, tts]");
    awaitLine("Started ExampleWorker");
    // The system does the same when the launcher dies, however it dies.
    worker.getOutputStream().close();
    awaitLine("The launcher is gone; stopping.");
    assertThat(worker.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(worker.exitValue()).isZero();
  }

  @Test
  void aWorkerThatNobodyLaunchedStaysWithoutInput() throws Exception {
    start("false");
    worker.getOutputStream().close();
    awaitLine("Started ExampleWorker");
    assertThat(worker.waitFor(1, TimeUnit.SECONDS)).isFalse();
  }

  private void start(String exitWithParent) throws IOException {
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            ExampleWorker.class.getName());
    command.environment().put("FLOW_URL", "http://127.0.0.1:1");
    command.environment().put("FLOW_EXIT_WITH_PARENT", exitWithParent);
    worker = command.directory(directory.toFile()).redirectErrorStream(true).start();
  }

  private void awaitLine(String text) throws IOException {
    BufferedReader output = worker.inputReader();
    StringBuilder all = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      all.append(line).append("\n");
      if (line.contains(text)) {
        return;
      }
    }
    throw new AssertionError("The worker ended without \"" + text + "\":\n" + all);
  }
}
