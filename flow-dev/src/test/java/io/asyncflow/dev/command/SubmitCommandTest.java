package io.asyncflow.dev.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.UsageException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

/** What the command line asks for; {@link SubmitTest} has what becomes of it. */
class SubmitCommandTest {
  private static final URI URL = URI.create("http://far:8081");

  @Test
  void whatIsNotSaidIsTakenFromTheSurroundings() {
    SubmitCommand submit = parse(Map.of("FLOW_URL", "http://far:8081"), "my.txt");
    assertThat(submit.server()).isEqualTo(URL);
    assertThat(submit.wav()).isEqualTo(Path.of("my.wav"));
  }

  @Test
  void optionsComeInAnyOrderAndBeforeTheSurroundings() {
    SubmitCommand submit =
        parse(
            Map.of("FLOW_URL", "http://near:8081"),
            "--again",
            "--out",
            "b.wav",
            "my.txt",
            "--url",
            "http://far:8081/");
    assertThat(submit.server()).isEqualTo(URL);
    assertThat(submit.wav()).isEqualTo(Path.of("b.wav"));
  }

  @ParameterizedTest
  @CsvSource({"/a.b/my, /a.b/my.wav", "/a/my.long.txt, /a/my.long.wav", ".hidden, .hidden.wav"})
  void theWavLiesBesideTheText(String text, Path wav) {
    assertThat(parse(Map.of(), text).wav()).isEqualTo(wav);
  }

  @Test
  void aServerIsNeeded() {
    assertThatThrownBy(() -> parse(Map.of(), "my.txt").server())
        .isInstanceOf(UsageException.class)
        .hasMessage("submit needs a server: say --url URL or set FLOW_URL.");
    assertThatThrownBy(() -> parse(Map.of("FLOW_URL", "far"), "my.txt").server())
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("FLOW_URL must be an http or https URL with a host, such as ");
    assertThatThrownBy(() -> parse(Map.of(), "my.txt", "--url", "far"))
        .isInstanceOf(ParameterException.class);
  }

  private static SubmitCommand parse(Map<String, String> environment, String... arguments) {
    SubmitCommand submit = new SubmitCommand(environment, System.out, System.err, false);
    String[] line = new String[arguments.length + 1];
    line[0] = "submit";
    System.arraycopy(arguments, 0, line, 1, arguments.length);
    Asyncflow.of(submit).parseArgs(line);
    return submit;
  }
}
