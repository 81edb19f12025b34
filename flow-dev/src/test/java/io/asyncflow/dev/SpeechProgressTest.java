package io.asyncflow.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpeechProgressTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  @Test
  void withoutATerminalEachParagraphGetsOneLine() {
    SpeechProgress progress = SpeechProgress.on(out, false);
    progress.show(0, 3);
    progress.show(1, 3);
    progress.show(1, 3);
    progress.show(3, 3);
    progress.end();
    assertThat(printed())
        .containsExactly("paragraph 1 of 3", "paragraph 2 of 3", "paragraph 3 of 3");
  }

  @Test
  void onATerminalOneLineIsDrawnAgain() {
    SpeechProgress progress = SpeechProgress.on(out, true);
    progress.show(0, 2);
    progress.show(1, 2);
    progress.show(2, 2);
    progress.end();
    progress.end();
    assertThat(bytes.toString(StandardCharsets.UTF_8).split("\r"))
        .containsExactly(
            "",
            "[........................................] paragraph 0 of 2",
            "[####################....................] paragraph 1 of 2",
            "[########################################] paragraph 2 of 2" + System.lineSeparator());
  }

  private List<String> printed() {
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
