package io.asyncflow.systemtest.cluster;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("faults")
@Timeout(300)
class KilledParentIT {

  private static final int SECOND_SERVER = 3;

  @Test
  void everyProcessEndsWithItsKilledParentEvenAStoppedOne() throws Exception {
    Process parent =
        new ProcessBuilder(
                Java.command(
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-Dasyncflow.home=" + System.getProperty("asyncflow.home"),
                    ClusterOwner.class.getName()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      List<ProcessHandle> children = childrenOf(parent);
      ProcessHandle stopped = children.get(SECOND_SERVER);
      Signals.stop(stopped.pid());

      Stopwatch watch = Stopwatch.start();
      parent.destroyForcibly().onExit().join();

      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> children.stream().filter(KilledParentIT::runs).allMatch(stopped::equals));
      Figures.print(
          "parent killed -9: its running children ended within %.1f s", seconds(watch.elapsed()));
      await().atMost(Duration.ofSeconds(20)).until(() -> !runs(stopped));
      Figures.print("and the stopped one was killed within %.1f s", seconds(watch.elapsed()));
    } finally {
      parent.destroyForcibly();
    }
  }

  private static List<ProcessHandle> childrenOf(Process parent) throws IOException {
    String pids =
        new BufferedReader(new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
    assertThat(pids).isNotNull();
    return Stream.of(pids.split(" "))
        .map(pid -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
        .toList();
  }

  // An orphan may wait for ever for an init that collects it. What is dead runs no program.
  private static boolean runs(ProcessHandle process) {
    return process.info().command().isPresent();
  }
}
