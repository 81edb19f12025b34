package io.asyncflow.dev.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiKeyTest {
  @TempDir Path directory;

  @Test
  void whereNothingIsSetThereIsNone() {
    assertThat(ApiKey.in(Map.of()).text()).isNull();
    assertThat(ApiKey.in(Map.of("FLOW_API_KEY", "", "FLOW_API_KEY_FILE", " ")).text()).isNull();
    assertThat(ApiKey.in(Map.of()).forChild()).isEmpty();
  }

  @Test
  void theVariableIsTakenAsItIs() {
    ApiKey key = ApiKey.in(Map.of("FLOW_API_KEY", "a-key"));
    assertThat(key.text()).isEqualTo("a-key");
    assertThat(key.forChild()).as("a child inherits it").isEmpty();
  }

  @Test
  void theFileIsReadWithoutTheEndOfItsLineAndChildrenFindIt() throws IOException {
    Path file = Files.writeString(directory.resolve("k"), "a-key\r\n");
    Path relative = Path.of("").toAbsolutePath().relativize(file);
    ApiKey key = ApiKey.in(Map.of("FLOW_API_KEY_FILE", relative.toString()));
    assertThat(key.text()).isEqualTo("a-key");
    Path forChild = Path.of(key.forChild().get("FLOW_API_KEY_FILE"));
    assertThat(forChild).isAbsolute().hasSameTextualContentAs(file);
    assertThat(key.toString()).doesNotContain("a-key");
  }

  @Test
  void aFileThatGivesNoKeyIsNamedWithWhatToDo() throws IOException {
    Path absent = directory.resolve("absent");
    assertThatExceptionOfType(DevException.class)
        .isThrownBy(() -> ApiKey.in(Map.of("FLOW_API_KEY_FILE", absent.toString())))
        .withMessage(
            "FLOW_API_KEY_FILE names "
                + absent
                + ", which cannot be read: check the name and who may read it.");
    Path empty = Files.writeString(directory.resolve("empty"), "\n");
    assertThatExceptionOfType(DevException.class)
        .isThrownBy(() -> ApiKey.in(Map.of("FLOW_API_KEY_FILE", empty.toString())))
        .withMessage(
            "FLOW_API_KEY_FILE names " + empty + ", which is empty: write the secret into it.");
  }

  @Test
  void twoKeysAreOneTooMany() {
    assertThatExceptionOfType(UsageException.class)
        .isThrownBy(() -> ApiKey.in(Map.of("FLOW_API_KEY", "a", "FLOW_API_KEY_FILE", "b")))
        .withMessage("FLOW_API_KEY and FLOW_API_KEY_FILE are both set; take one of them out.");
  }

  @Test
  void aKeyThatNoHeaderCanCarryIsRefusedUntold() {
    assertThatExceptionOfType(UsageException.class)
        .isThrownBy(() -> ApiKey.in(Map.of("FLOW_API_KEY", "my secret")))
        .withMessage("FLOW_API_KEY must be printable ASCII characters without white space.");
  }
}
