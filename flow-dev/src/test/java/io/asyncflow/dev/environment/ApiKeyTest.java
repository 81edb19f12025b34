package io.asyncflow.dev.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
  void aFileThatEveryUserCanReadIsTakenAndNamed() throws IOException {
    Path file = Files.writeString(directory.resolve("k"), "a-key");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(warningsOf(file))
        .isEqualTo(
            "asyncflow: FLOW_API_KEY_FILE names "
                + file
                + ", which every user of this machine can read; change that with: chmod o= "
                + file
                + System.lineSeparator());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThat(warningsOf(file)).isEmpty();
  }

  private static String warningsOf(Path file) {
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      assertThat(ApiKey.in(Map.of("FLOW_API_KEY_FILE", file.toString())).text()).isEqualTo("a-key");
    } finally {
      System.setErr(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
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
