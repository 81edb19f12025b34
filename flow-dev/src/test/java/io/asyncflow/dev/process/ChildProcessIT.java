package io.asyncflow.dev.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ChildProcessIT {

  @TempDir Path directory;

  @Test
  void variablesOfAnyNameReachTheProgram() throws Exception {
    ChildProcess program =
        ChildProcess.launch(
            "a server",
            List.of("/usr/bin/env"),
            Map.of("logging.level.root", "DEBUG"),
            directory,
            ParentDeath.STOPS_CHILD);
    try {
      assertThat(program.awaitEnd()).isZero();
    } finally {
      program.stop();
    }

    assertThat(directory.resolve("server.log")).content().contains("logging.level.root=DEBUG\n");
  }
}
