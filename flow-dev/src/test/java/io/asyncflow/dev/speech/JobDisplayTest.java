package io.asyncflow.dev.speech;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobDisplayTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  @Test
  void everythingThatIsKnownIsSaid() {
    assertThat(JobDisplay.words(progress(JobState.SPLITTING, null, 0, 0, 0, null)))
        .isEqualTo("splitting");
    assertThat(JobDisplay.words(progress(JobState.RUNNING, 2_000, 812, 1, 4, 31.54)))
        .isEqualTo("812 of 2000, 1 failed, 4 running, 31.5/s, 0:38 left");
    assertThat(JobDisplay.words(progress(JobState.RUNNING, 2_000, 812, 0, 4, 0.5)))
        .isEqualTo("812 of 2000, 4 running, 0.5/s, 39:36 left");
    assertThat(JobDisplay.words(progress(JobState.RUNNING, 2_000, 0, 0, 4, null)))
        .isEqualTo("0 of 2000, 4 running");
    assertThat(JobDisplay.words(progress(JobState.MERGING, 8, 8, 0, 0, 2.0)))
        .isEqualTo("8 of 8, 2.0/s, merging");
    assertThat(JobDisplay.words(progress(JobState.SUCCESS, 8, 8, 0, 0, 2.0)))
        .isEqualTo("8 of 8, 2.0/s");
    assertThat(JobDisplay.words(progress(JobState.FAILED, null, 0, 0, 0, null)))
        .isEqualTo("nothing was split");
  }

  @Test
  void onATerminalOneLineIsDrawnAgainAndLeavesNothingOfTheLastOne() {
    JobDisplay display = JobDisplay.on(out, true);
    display.show(progress(JobState.SPLITTING, null, 0, 0, 0, null));
    display.show(progress(JobState.RUNNING, 4, 2, 0, 1, null));
    display.show(progress(JobState.SUCCESS, 4, 4, 0, 0, null));
    display.end();
    display.end();
    assertThat(bytes.toString(StandardCharsets.UTF_8).split("\r"))
        .containsExactly(
            "",
            "[....................] splitting",
            "[##########..........] 2 of 4, 1 running",
            "[####################] 4 of 4           " + System.lineSeparator());
  }

  @Test
  void withoutATerminalThereIsALineForEachTwentiethAndEachTurn() {
    JobDisplay display = JobDisplay.on(out, false);
    display.show(progress(JobState.SPLITTING, null, 0, 0, 0, null));
    for (int done = 0; done <= 1_000; done++) {
      display.show(progress(JobState.RUNNING, 1_000, done, 0, 0, null));
    }
    display.show(progress(JobState.MERGING, 1_000, 1_000, 0, 0, null));
    display.end();
    assertThat(printed())
        .hasSize(1 + 21 + 1)
        .startsWith("splitting", "0 of 1000", "50 of 1000")
        .endsWith("1000 of 1000", "1000 of 1000, merging");
  }

  private List<String> printed() {
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static JobProgress progress(
      JobState state, Integer total, int done, int failed, int running, Double rate) {
    return new JobProgress("7", state, total, done, failed, 0, running, 0, rate, null);
  }
}
