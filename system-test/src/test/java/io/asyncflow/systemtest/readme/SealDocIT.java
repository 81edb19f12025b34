package io.asyncflow.systemtest.readme;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.seal.SealKeys;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.readme.Document.Block;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/seal.md shows; FreshCloneIT runs its commands. */
@Tag("faults")
class SealDocIT {

  private static final int SECONDS = 90;

  @TempDir private Path directory;

  @Test
  void theProgramGetsTheSameTaskInEachProcess() throws IOException {
    Block program =
        Document.read("docs/seal.md").blocks().stream()
            .filter(block -> block.language().equals("java"))
            .findFirst()
            .orElseThrow();
    String libraries = System.getProperty("java.class.path");
    JavaCode.compile(directory, libraries, List.of(program.code()));
    Path keys = directory.resolve("keys.json");
    SealKeys.generate().create(keys);
    try (Cluster cluster = Cluster.startWithoutRedis("seal-doc")) {
      ServerNode server = cluster.startServers(1).get(0);
      server.client().saveTaskType(TaskTypeSettings.named("payment").withSealed(1));
      List<String> command =
          Command.java(
              directory + File.pathSeparator + libraries,
              List.of(),
              List.of(JavaCode.nameOf(program.code()), server.url().toString()));
      List<String> first = printedBy(command, keys);
      assertThat(first).hasSize(1);
      assertThat(printedBy(command, keys)).isEqualTo(first);
    }
  }

  /** Without what the libraries log. */
  private static List<String> printedBy(List<String> command, Path keys) {
    Command.Done done = Command.run(command, Map.of("FLOW_SEAL_KEYSET", keys.toString()), SECONDS);
    assertThat(done.exitCode()).as(done.output()).isZero();
    return done.output()
        .lines()
        .filter(line -> line.matches("[0-9]+_payment_task_1 charged DE02120300000000202051"))
        .toList();
  }
}
