package io.asyncflow.dev.command.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.command.Asyncflow;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.seal.SealKeys;
import io.asyncflow.seal.TinkCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SealCommandTest {

  @TempDir private Path directory;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @Test
  void createMakesAFileThatACodecTakes() {
    Path file = directory.resolve("keys.json");
    assertThat(run(Map.of(), "create", file.toString())).isZero();
    assertThat(printed()).contains("Created " + file);
    new TinkCodec(SealKeys.read(file));
  }

  @Test
  void theVariableNamesTheFile() throws IOException {
    Path file = directory.resolve("keys.json");
    Map<String, String> environment = Map.of("FLOW_SEAL_KEYSET", file.toString());
    assertThat(run(environment, "create")).isZero();
    String before = Files.readString(file);
    assertThat(run(environment, "rotate")).isZero();
    assertThat(Files.readString(file)).hasSizeGreaterThan(before.length());
  }

  @Test
  void earlierKeysAreShownAndTakenOut() {
    String file = directory.resolve("keys.json").toString();
    assertThat(run(Map.of(), "create", file)).isZero();
    assertThat(run(Map.of(), "rotate", file)).isZero();
    printed.reset();
    assertThat(run(Map.of(), "list", file)).isZero();
    List<String> lines = printed().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(1)).endsWith("  open");
    assertThat(lines.get(2)).endsWith("  seal now");
    String earlier = lines.get(1).split(" ")[0];

    assertThat(run(Map.of(), "remove", lines.get(2).split(" ")[0], file)).isEqualTo(1);
    assertThat(run(Map.of(), "remove", "1", file)).isEqualTo(1);
    assertThat(printed()).contains("rotate first").contains("there is no key 1");
    assertThat(run(Map.of(), "remove", earlier, file)).isZero();
    printed.reset();
    assertThat(run(Map.of(), "list", file)).isZero();
    assertThat(printed().lines()).hasSize(2);
    assertThat(printed()).doesNotContain(earlier);
  }

  @Test
  void createNeverOverwrites() throws IOException {
    Path file = Files.writeString(directory.resolve("keys.json"), "mine");
    assertThat(run(Map.of(), "create", file.toString())).isEqualTo(1);
    assertThat(printed()).contains("The keys are not made", "exists already");
    assertThat(file).hasContent("mine");
  }

  @Test
  void rotateNeedsAFileWithKeys() {
    Path file = directory.resolve("keys.json");
    assertThat(run(Map.of(), "rotate", file.toString())).isEqualTo(1);
    assertThat(printed()).contains("The keys are not rotated", file.toString());
  }

  @Test
  void aDirectoryThatIsMissingIsOneLine() {
    Path file = directory.resolve("no/such/keys.json");
    assertThat(run(Map.of(), "create", file.toString())).isEqualTo(1);
    assertThat(run(Map.of(), "rotate", file.toString())).isEqualTo(1);
    assertThat(printed().lines())
        .containsExactly(
            "asyncflow: The keys are not made: "
                + file
                + " cannot be written: there is no such file or directory.",
            "asyncflow: The keys are not rotated: the file with the keys, "
                + file
                + ", cannot be read: there is no such file or directory.");
  }

  @Test
  void aFileMustBeNamed() {
    assertThat(run(Map.of(), "create")).isEqualTo(2);
    assertThat(printed()).contains("Name a FILE, or set FLOW_SEAL_KEYSET.");
  }

  private int run(Map<String, String> environment, String... words) {
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    CommandLine command =
        Asyncflow.of(new SealCommand(new Terminal(environment, out, System.err, ZoneOffset.UTC)));
    command.setErr(new PrintWriter(out, true, StandardCharsets.UTF_8));
    String[] arguments = new String[words.length + 1];
    arguments[0] = "seal";
    System.arraycopy(words, 0, arguments, 1, words.length);
    return command.execute(arguments);
  }

  private String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }
}
