package io.asyncflow.dev.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A JVM that dies in the middle of a launch, as Ctrl-C in the first moments of a start has it. */
@Tag("faults")
@Timeout(120)
class KilledLaunchIT {

  @TempDir Path directory;

  @ParameterizedTest(name = "when it has {0} children")
  @ValueSource(ints = {1, 2})
  void jvmThatDiesWhileItLaunchesLeavesNothingBehind(int children) throws Exception {
    Process jvm =
        OtherJvm.of(Launcher.class, directory.toString(), "" + children).inheritIO().start();

    assertThat(jvm.waitFor()).isEqualTo(Launcher.DEAD);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(thoseOf(directory)).isEmpty());
  }

  @Test
  void watcherOfALaunchThatWasCutShortLeavesTheNextChildAlone() throws Exception {
    Process watcher =
        ChildProcess.watch(ChildProcess.newPidFile(directory), ParentDeath.STOPS_CHILD);
    endInputOf(watcher);

    ChildProcess next = Launcher.launch(directory);
    ProcessHandle child = ProcessHandle.of(next.pid()).orElseThrow();
    try {
      assertThat(watcher.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(endsSoon(child)).isFalse();
    } finally {
      next.kill();
    }
  }

  @Test
  void childThatIsNotKeptLeavesNoDirectoryIfItNeverStarts() throws Exception {
    Path parent = directory.resolve("children");
    Path child = Files.createDirectories(parent.resolve("one"));

    Process watcher =
        ChildProcess.watch(ChildProcess.newPidFile(child), ParentDeath.DISCARDS_CHILD);
    endInputOf(watcher);

    assertThat(watcher.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(parent).doesNotExist();
  }

  @Test
  void watcherTakesNoProcessIdFromItsEnvironment() throws Exception {
    Process other = new ProcessBuilder("/bin/cat").start();
    try {
      Path pidFile = ChildProcess.newPidFile(directory);
      ProcessBuilder script =
          new ProcessBuilder(
              "/bin/sh",
              "-c",
              ParentDeath.STOPS_CHILD.script(),
              "watch",
              pidFile.toString(),
              directory.toString());
      script.environment().put("pid", Long.toString(other.pid()));
      Process watcher = script.start();
      endInputOf(watcher);

      assertThat(watcher.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(endsSoon(other.toHandle())).isFalse();
    } finally {
      other.destroyForcibly();
    }
  }

  /** The end of its input, as when its JVM dies. */
  private static void endInputOf(Process watcher) throws IOException {
    watcher.getOutputStream().close();
  }

  /** Long enough for a signal that was sent before. */
  private static boolean endsSoon(ProcessHandle process) {
    return ChildProcess.isGoneWithin(Duration.ofMillis(200), process);
  }

  private static Stream<ProcessHandle.Info> thoseOf(Path directory) {
    return ProcessHandle.allProcesses()
        .map(ProcessHandle::info)
        .filter(
            info ->
                Arrays.stream(info.arguments().orElse(new String[0]))
                    .anyMatch(argument -> argument.startsWith(directory.toString())));
  }

  /** What the JVM runs: it is dead as soon as it has so many children. */
  static final class Launcher {

    static final int DEAD = 9;

    public static void main(String[] arguments) {
      int children = Integer.parseInt(arguments[1]);
      Thread death =
          new Thread(
              () -> {
                while (ProcessHandle.current().children().count() < children) {
                  Thread.onSpinWait();
                }
                Runtime.getRuntime().halt(DEAD);
              });
      death.start();
      launch(Path.of(arguments[0]));
    }

    static ChildProcess launch(Path directory) {
      return ChildProcess.launch(
          "a server",
          List.of("/bin/sh", "-c", "while :; do sleep 1; done", "server", directory.toString()),
          Map.of(),
          directory,
          ParentDeath.STOPS_CHILD);
    }
  }
}
