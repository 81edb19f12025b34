package io.asyncflow.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A JVM that dies in the middle of a launch, as Ctrl-C in the first moments of a start has it. */
@Timeout(120)
class KilledLaunchIT {

  @TempDir Path directory;

  @ParameterizedTest(name = "when it has {0} children")
  @ValueSource(ints = {1, 2})
  void jvmThatDiesWhileItLaunchesLeavesNothingBehind(int children) throws Exception {
    Process jvm =
        EngineOwner.jvm(Launcher.class, directory.toString(), "" + children).inheritIO().start();

    assertThat(jvm.waitFor()).isEqualTo(Launcher.DEAD);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(thoseOf(directory)).isEmpty());
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
      EngineProcess.launch(
          "a server",
          List.of("/bin/sh", "-c", "while :; do sleep 1; done", "server", arguments[0]),
          Map.of(),
          Path.of(arguments[0]),
          ParentDeath.STOPS_ENGINE);
    }
  }
}
