package io.asyncflow.systemtest.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.systemtest.chaos.Disaster.Blow;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands of a real shell. */
class NodeKillIT {

  @TempDir private Path directory;

  private final List<String> told = new ArrayList<>();
  private final Deque<Boolean> answers = new ArrayDeque<>(List.of(false, true));

  @Test
  void outputAndStatusAreTold() {
    NodeKill kill = nodeKill("echo one is down; echo one is back >&2");

    kill.strike(Blow.RUN);

    assertThat(kill.failures()).isZero();
    assertThat(told)
        .singleElement()
        .asString()
        .matches("--kill-node exit status 0 after \\d\\.\\d s: one is down\none is back");
  }

  @Test
  void failureIsToldAndCounted() {
    NodeKill kill = nodeKill("echo there is no node; exit 3");

    kill.strike(Blow.RUN);
    kill.strike(Blow.RUN);

    assertThat(kill.failures()).isEqualTo(2);
    assertThat(told)
        .hasSize(2)
        .allMatch(
            line ->
                line.matches(
                    "--kill-node FAILED, exit status 3 after \\d\\.\\d s: there is no node"));
  }

  /** It holds the command's output open for ever. */
  @Test
  void serverThatTheCommandStartsIsNotWaitedFor() {
    NodeKill kill = nodeKill("sleep 600 & echo $!");

    kill.strike(Blow.RUN);

    assertThat(kill.failures()).isZero();
    String server = told.get(0).replaceFirst(".*: ", "");
    assertThat(ProcessHandle.of(Long.parseLong(server)).map(ProcessHandle::destroy)).hasValue(true);
  }

  @Test
  void nodeIsWellWhenTheDatabaseTakesWrites() {
    nodeKill("true").heal(Blow.RUN);

    assertThat(answers).isEmpty();
  }

  private NodeKill nodeKill(String command) {
    return new NodeKill(
        command, directory.resolve("kill-node.log"), List.of(), answers::remove, told::add);
  }
}
