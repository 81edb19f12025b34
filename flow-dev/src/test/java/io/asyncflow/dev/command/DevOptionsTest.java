package io.asyncflow.dev.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.UsageException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DevOptionsTest {
  private static final Path DEFAULT = Path.of("/repository/.asyncflow/dev");

  @Test
  void withoutOptionsEverythingRunsAtTheUsualPlace() {
    assertThat(DevOptions.parse(List.of(), DEFAULT)).isEqualTo(new DevOptions(8081, DEFAULT, true));
  }

  @Test
  void everyOptionIsUnderstood() {
    assertThat(
            DevOptions.parse(
                List.of("--no-worker", "--data-dir", "/some where", "--port", "9000"), DEFAULT))
        .isEqualTo(new DevOptions(9000, Path.of("/some where"), false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "65536", "-1", "http", "99999999999", ""})
  void portOutOfRangeIsRefused(String port) {
    assertThatThrownBy(() -> DevOptions.parse(List.of("--port", port), DEFAULT))
        .isInstanceOf(UsageException.class)
        .hasMessage("A port is a number from 1 to 65535, not " + port + ".");
  }

  @Test
  void missingValueAndUnknownOptionAreRefused() {
    assertThatThrownBy(() -> DevOptions.parse(List.of("--port"), DEFAULT))
        .hasMessage("--port needs a value.");
    assertThatThrownBy(() -> DevOptions.parse(List.of("--prot", "1"), DEFAULT))
        .hasMessage("dev does not know --prot.");
  }
}
