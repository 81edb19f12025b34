package io.asyncflow.dev.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Bash completes with the script. */
@Timeout(60)
class CompletionCommandTest {

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "./asyncflow sch | schedule",
        "./asyncflow ben | bench",
        "./asyncflow task hist | history",
        "./asyncflow job list --sta | --state",
        "./asyncflow job list --state FAI | FAILED",
        "./asyncflow key create --role OP | OPERATOR"
      })
  void wordsAreCompleted(String line, String completed) throws Exception {
    String[] words = line.trim().split(" ");
    Path script = Files.writeString(directory.resolve("completion"), completion());
    String test =
        "source %s; COMP_WORDS=(%s); COMP_CWORD=%s; COMP_LINE='%s'; COMP_POINT=${#COMP_LINE}; %s"
            .formatted(
                script,
                line.trim(),
                words.length - 1,
                line.trim(),
                "$(complete -p asyncflow | sed 's/.*-F \\([^ ]*\\).*/\\1/'); "
                    + "printf '%s\\n' \"${COMPREPLY[@]}\"");
    Process bash =
        new ProcessBuilder("bash", "--norc", "-c", test).redirectErrorStream(true).start();
    String said = new String(bash.getInputStream().readAllBytes(), UTF_8);
    assertThat(said.lines().map(String::strip)).as(said).contains(completed);
  }

  @Test
  void helpShowsHowToUseIt() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Asyncflow.of(DevLauncher.commands(Map.of(), System.out, System.err))
        .setOut(new java.io.PrintWriter(out, true, UTF_8))
        .execute("completion", "--help");
    assertThat(out.toString(UTF_8)).contains("source <(./asyncflow completion)");
  }

  private static String completion() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream console = new PrintStream(out, true, UTF_8);
    assertThat(Asyncflow.of(DevLauncher.commands(Map.of(), console, console)).execute("completion"))
        .isZero();
    return out.toString(UTF_8);
  }
}
