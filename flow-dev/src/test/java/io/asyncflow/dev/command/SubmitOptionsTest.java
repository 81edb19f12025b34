package io.asyncflow.dev.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.UsageException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubmitOptionsTest {
  private static final URI URL = URI.create("http://far:8081");

  @Test
  void whatIsNotSaidIsTakenFromTheSurroundings() {
    assertThat(SubmitOptions.parse(List.of("my.txt"), "http://far:8081", "ann"))
        .isEqualTo(new SubmitOptions(Path.of("my.txt"), URL, Path.of("my.wav"), "ann", false));
  }

  @Test
  void everyOptionIsUnderstoodInAnyOrder() {
    assertThat(
            SubmitOptions.parse(
                List.of(
                    "--again",
                    "--out",
                    "b.wav",
                    "my.txt",
                    "--user",
                    "bob",
                    "--url",
                    "http://far:8081/"),
                "http://near:8081",
                "ann"))
        .isEqualTo(new SubmitOptions(Path.of("my.txt"), URL, Path.of("b.wav"), "bob", true));
  }

  @ParameterizedTest
  @CsvSource({"/a.b/my, /a.b/my.wav", "/a/my.long.txt, /a/my.long.wav", ".hidden, .hidden.wav"})
  void theWavLiesBesideTheText(Path text, Path wav) {
    assertThat(SubmitOptions.parse(List.of(text.toString()), "http://far", "ann").out())
        .isEqualTo(wav);
  }

  @Test
  void whatIsMissingOrUnknownIsRefused() {
    assertRefused("submit needs a text file; submit --help says more.");
    assertRefused("submit needs a server: say --url URL or set FLOW_URL.", "my.txt");
    assertRefused("--url needs a value.", "my.txt", "--url");
    assertRefused("submit takes one text file.", "my.txt", "your.txt");
    assertRefused("submit does not know --agian.", "my.txt", "--agian");
    assertRefused(
        "--url must be an http or https URL with a host, such as http://127.0.0.1:8081, and not"
            + " 'far'.",
        "my.txt",
        "--url",
        "far");
  }

  private static void assertRefused(String message, String... arguments) {
    assertThatThrownBy(() -> SubmitOptions.parse(List.of(arguments), null, "ann"))
        .isInstanceOf(UsageException.class)
        .hasMessage(message);
  }
}
