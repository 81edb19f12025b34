package io.asyncflow.dev.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.environment.Installation;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DevCommandTest {
  private final DevCommand dev = new DevCommand(new Installation(Path.of("/repository")));

  @Test
  void withoutOptionsEverythingRunsAtTheUsualPlace() {
    Asyncflow.of(dev).parseArgs("dev");
    assertThat(dev.port()).isEqualTo(8081);
    assertThat(dev.dataDirectory()).isEqualTo(Path.of("/repository/.asyncflow/dev"));
    assertThat(dev.hasWorker()).isTrue();
  }

  @Test
  void everyOptionIsUnderstood() {
    Asyncflow.of(dev)
        .parseArgs("dev", "--no-worker", "--data-dir", "/some where", "--port", "9000");
    assertThat(dev.port()).isEqualTo(9000);
    assertThat(dev.dataDirectory()).isEqualTo(Path.of("/some where"));
    assertThat(dev.hasWorker()).isFalse();
  }
}
