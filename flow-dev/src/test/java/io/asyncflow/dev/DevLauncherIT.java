package io.asyncflow.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher as a process of its own, with {@link StubProgram} as flowsvr and worker. */
@Timeout(120)
class DevLauncherIT {
  @TempDir Path home;

  @BeforeEach
  void buildPrograms() throws IOException {
    StubProgram.build(home, "flowsvr");
    StubProgram.build(home, "worker-example");
  }

  @Test
  void devTellsItsUrlAndSigtermEndsEverythingInOrder() throws Exception {
    int port = LoopbackPort.free();
    Process launcher = launch("dev", "--port", Integer.toString(port));
    try {
      assertThat(linesUntilReady(launcher))
          .last()
          .isEqualTo("Asyncflow is ready at http://127.0.0.1:" + port);
      List<ProcessHandle> children = launcher.children().toList();

      launcher.destroy();

      assertThat(launcher.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(children).isNotEmpty().noneMatch(EngineProcess::runsAProgram);
      assertThat(Files.readString(home.resolve(".asyncflow/dev/mariadb/server.log")))
          .contains("Shutdown complete");
    } finally {
      launcher.destroyForcibly();
    }
  }

  @Test
  void killedLauncherTakesEverythingWithIt() throws Exception {
    Process launcher = launch("dev", "--port", Integer.toString(LoopbackPort.free()));
    linesUntilReady(launcher);
    List<ProcessHandle> children = launcher.children().toList();

    launcher.destroyForcibly();

    assertThat(children)
        .isNotEmpty()
        .allMatch(child -> EngineProcess.isGoneWithin(Duration.ofSeconds(60), child));
  }

  @Test
  void devWithoutAWorkerStartsNone() throws Exception {
    Process launcher =
        launch("dev", "--no-worker", "--port", Integer.toString(LoopbackPort.free()));
    try {
      linesUntilReady(launcher);
      assertThat(home.resolve(".asyncflow/dev/logs/flowsvr.log")).exists();
      assertThat(home.resolve(".asyncflow/dev/logs/worker.log")).doesNotExist();
    } finally {
      launcher.destroy();
      launcher.waitFor();
    }
  }

  @Test
  void everyErrorIsOneSentence() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      int port = taken.getLocalPort();
      assertFails(
          1,
          "Port " + port + " on 127.0.0.1 is taken: choose another with --port.",
          "dev",
          "--port",
          Integer.toString(port));
    }
    assertFails(1, "There is no file missing.txt.", "demo", "missing.txt");
    assertFails(2, "dev does not know --verbose.", "dev", "--verbose");
    assertFails(2, "demo takes one text file at most.", "demo", "a.txt", "b.txt");
  }

  private void assertFails(int exitCode, String sentence, String... arguments) throws Exception {
    Process launcher = launch(arguments);
    List<String> complaint =
        new BufferedReader(new InputStreamReader(launcher.getErrorStream())).lines().toList();
    assertThat(complaint).containsExactly("asyncflow: " + sentence);
    assertThat(launcher.waitFor()).isEqualTo(exitCode);
  }

  private Process launch(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dasyncflow.home=" + home,
                "-cp",
                System.getProperty("java.class.path"),
                DevLauncher.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).start();
  }

  private static List<String> linesUntilReady(Process launcher) throws IOException {
    List<String> lines = new ArrayList<>();
    BufferedReader output = new BufferedReader(new InputStreamReader(launcher.getInputStream()));
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      lines.add(line);
      if (line.startsWith("Asyncflow is ready")) {
        return lines;
      }
    }
    throw new IOException(
        "the launcher ended: " + new String(launcher.getErrorStream().readAllBytes()));
  }
}
