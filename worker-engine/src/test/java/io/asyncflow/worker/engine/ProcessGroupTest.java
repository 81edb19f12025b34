package io.asyncflow.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProcessGroupTest {

  @Test
  void aKillAfterTheEndLeavesTheLastWordsToBeRead() throws Exception {
    ProcessGroup group =
        ProcessGroup.start(new ProcessBuilder("/bin/sh", "-c", "echo farewell >&2; exit 3"));
    assertThat(group.leader().waitFor()).isEqualTo(3);

    group.kill();

    byte[] lastWords = group.leader().getErrorStream().readAllBytes();
    assertThat(new String(lastWords, StandardCharsets.UTF_8)).isEqualTo("farewell\n");
  }
}
