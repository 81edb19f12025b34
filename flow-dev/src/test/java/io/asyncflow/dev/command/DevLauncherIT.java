package io.asyncflow.dev.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.process.ChildProcess;
import io.asyncflow.dev.stack.StubProgram;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The launcher as a process of its own, with {@link StubProgram} as flowsvr and worker. */
@Timeout(120)
@Tag("faults") // it starts processes
class DevLauncherIT {
  @TempDir Path home;

  @BeforeEach
  void buildPrograms() throws IOException {
    StubProgram.build(home, "flowsvr");
    StubProgram.build(home, "worker-example");
  }

  /** Where the common pool is small, whoever waits in it waits for ever; 25 has it smaller yet. */
  static Stream<Arguments> machines() {
    return Stream.concat(
        Stream.of(1, 3, 4, 16).map(cores -> Arguments.of(JavaInstallations.current(), cores)),
        JavaInstallations.java25().map(java -> Arguments.of(java, 2)));
  }

  @ParameterizedTest
  @MethodSource("machines")
  void devTellsItsUrlAndCtrlCEndsEverythingInOrder(Path java, int cores) throws Exception {
    int port = LoopbackPort.free();
    Process launcher = launch(java, cores, "dev", "--port", Integer.toString(port));
    try {
      assertThat(linesUntilReady(launcher))
          .endsWith(
              "The console is at http://127.0.0.1:" + port + "/console",
              "Asyncflow is ready at http://127.0.0.1:" + port);
      List<ProcessHandle> children = launcher.children().toList();

      pressCtrlC(launcher);

      assertThat(launcher.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(children).isNotEmpty().noneMatch(ChildProcess::runsAProgram);
      assertThat(Files.readString(home.resolve(".asyncflow/dev/mariadb/server.log")))
          .contains("Shutdown complete");
    } finally {
      launcher.destroyForcibly();
    }
  }

  @Test
  void secondCtrlCEndsItAtOnce() throws Exception {
    Process launcher = launch("dev", "--port", Integer.toString(LoopbackPort.free()));
    linesUntilReady(launcher);
    List<ProcessHandle> children = launcher.children().toList();
    ProcessHandle mariaDb = programIn(children, "mariadbd");
    // One that hears no SIGTERM, for which the launcher waits half a minute.
    signal("STOP", mariaDb);
    pressCtrlC(launcher);
    assertThat(launcher.inputReader().readLine())
        .isEqualTo("Stopping; Ctrl-C again ends it at once ...");

    pressCtrlC(launcher);

    assertThat(launcher.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(launcher.exitValue()).isEqualTo(130);
    signal("CONT", mariaDb);
    assertThat(children)
        .allMatch(child -> ChildProcess.isGoneWithin(Duration.ofSeconds(60), child));
  }

  @Test
  void sigtermEndsItToo() throws Exception {
    Process launcher = launch("dev", "--port", Integer.toString(LoopbackPort.free()));
    linesUntilReady(launcher);

    launcher.destroy();

    assertThat(launcher.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void killedLauncherTakesEverythingWithIt() throws Exception {
    Process launcher = launch("dev", "--port", Integer.toString(LoopbackPort.free()));
    linesUntilReady(launcher);
    List<ProcessHandle> children = launcher.children().toList();

    launcher.destroyForcibly();

    assertThat(children)
        .isNotEmpty()
        .allMatch(child -> ChildProcess.isGoneWithin(Duration.ofSeconds(60), child));
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
  void theKeyMayBeInAFileThatIsNamedFromWhereTheLauncherStarts() throws Exception {
    Path file = Files.writeString(home.resolve("k"), "a-key-of-16-chars-or-more\n");
    ProcessBuilder builder = launcher("dev", "--port", Integer.toString(LoopbackPort.free()));
    builder.directory(home.toFile()).environment().put("FLOW_API_KEY_FILE", "k");
    Process launcher = builder.start();
    try {
      linesUntilReady(launcher);
    } finally {
      launcher.destroy();
      launcher.waitFor();
    }
    Path logs = home.resolve(".asyncflow/dev/logs");
    assertThat(Files.readString(logs.resolve("worker.log"))).contains("FLOW_API_KEY_FILE=" + file);
    String served = Files.readString(logs.resolve("flowsvr.log"));
    assertThat(served.lines().filter(line -> line.contains("key: ")))
        .hasSizeGreaterThan(1)
        .allMatch(line -> line.endsWith("key: Bearer a-key-of-16-chars-or-more"));
    assertThat(served).contains("FLOW_API_KEY_FILE=" + file);
  }

  @Test
  void aKeyFileThatCannotBeReadIsSaidBeforeAnythingStarts() throws Exception {
    for (String command : List.of("dev", "demo")) {
      ProcessBuilder builder = launcher(command);
      builder.environment().put("FLOW_API_KEY_FILE", "absent");
      assertThat(complaint(1, builder))
          .containsExactly(
              "asyncflow: FLOW_API_KEY_FILE names absent, which cannot be read: check the name and"
                  + " who may read it.");
    }
    assertThat(home.resolve(".asyncflow")).doesNotExist();
  }

  @Test
  void whyFlowsvrDoesNotStartIsSaidOnce() throws Exception {
    ProcessBuilder builder = launcher("dev", "--port", Integer.toString(LoopbackPort.free()));
    builder.environment().put("FLOW_API_KEY", StubProgram.BAD_KEY);
    assertThat(complaint(1, builder))
        .singleElement()
        .asString()
        .contains("instead of starting")
        .endsWith("flowsvr.log and says: flowsvr does not start: the key is bad.");
    assertThat(home.resolve(".asyncflow")).isDirectoryNotContaining("glob:**.old-*");
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
  }

  @Test
  void whatIsNotUnderstoodIsNamed() throws Exception {
    assertThat(complaint(2, "dev", "--ports", "1"))
        .containsExactly(
            "asyncflow: dev does not know --ports; did you mean --port?",
            "./asyncflow dev --help says more.");
    assertThat(complaint(2, "demo", "a.txt", "b.txt"))
        .containsExactly(
            "asyncflow: demo takes one FILE, and b.txt is another.",
            "./asyncflow demo --help says more.");
  }

  @Test
  void outputThatCannotBeWrittenIsAFailure() throws Exception {
    ProcessBuilder full = launcher("completion").redirectOutput(new File("/dev/full"));
    assertThat(complaint(1, full))
        .singleElement()
        .asString()
        .startsWith("asyncflow: Standard output cannot be written: ");
    Process launcher = launch("completion");
    launcher.getInputStream().close(); // as head does
    assertThat(launcher.waitFor()).isEqualTo(141);
  }

  private void assertFails(int exitCode, String sentence, String... arguments) throws Exception {
    assertThat(complaint(exitCode, arguments)).containsExactly("asyncflow: " + sentence);
  }

  private List<String> complaint(int exitCode, String... arguments) throws Exception {
    return complaint(exitCode, launcher(arguments));
  }

  private static List<String> complaint(int exitCode, ProcessBuilder builder) throws Exception {
    Process launcher = builder.start();
    List<String> complaint =
        new BufferedReader(new InputStreamReader(launcher.getErrorStream(), StandardCharsets.UTF_8))
            .lines()
            .filter(line -> !line.startsWith("Picked up JAVA_TOOL_OPTIONS")) // the JVM's, not ours
            .toList();
    assertThat(launcher.waitFor()).isEqualTo(exitCode);
    return complaint;
  }

  private Process launch(String... arguments) throws IOException {
    return launcher(arguments).start();
  }

  private Process launch(Path java, int cores, String... arguments) throws IOException {
    return launcher(java, cores, arguments).start();
  }

  private ProcessBuilder launcher(String... arguments) {
    return launcher(JavaInstallations.current(), 2, arguments);
  }

  private ProcessBuilder launcher(Path java, int cores, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                // A build in the background of a script ignores SIGINT, and so would its children.
                "/usr/bin/env",
                "--default-signal=INT",
                java.toString(),
                "-XX:ActiveProcessorCount=" + cores,
                "-XX:TieredStopAtLevel=1",
                "-Dasyncflow.home=" + home,
                "-cp",
                System.getProperty("java.class.path"),
                DevLauncher.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  private static ProcessHandle programIn(List<ProcessHandle> processes, String program) {
    return processes.stream()
        .filter(process -> process.info().command().orElse("").endsWith("/" + program))
        .findFirst()
        .orElseThrow();
  }

  private static void pressCtrlC(Process launcher) throws Exception {
    signal("INT", launcher.toHandle());
  }

  private static void signal(String name, ProcessHandle process) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  private static List<String> linesUntilReady(Process launcher) throws IOException {
    List<String> lines = new ArrayList<>();
    BufferedReader output = launcher.inputReader();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      lines.add(line);
      if (line.startsWith("Asyncflow is ready")) {
        return lines;
      }
    }
    throw new IOException(
        "the launcher ended: "
            + new String(launcher.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
  }
}
