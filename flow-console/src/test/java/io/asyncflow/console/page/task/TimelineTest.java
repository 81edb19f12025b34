package io.asyncflow.console.page.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.HistoryEntry;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {

  private static HistoryEntry entry(
      long time, String kind, String stage, String outcome, Long cost, Long waited) {
    return new HistoryEntry(
        time, kind, stage, outcome, null, "w", 1, cost, waited, null, null, null, null);
  }

  @Test
  void barsHaveWhatWasWaitedAndRunAtTheirTimes() {
    Timeline line =
        Timeline.of(
            List.of(
                entry(1_000, "CREATED", null, null, null, null),
                entry(1_500, "REPORT", "split", "NEXT_STAGE", 250L, 250L),
                entry(2_000, "REPORT", "merge", "FAIL", 400L, 100L),
                entry(2_000, "CURRENT", "merge", "FAILED", null, null)),
            TaskStatus.FAILED);

    assertThat(line.bars()).extracting(Timeline.Bar::stage).containsExactly("split", "merge");
    assertThat(line.bars().get(0).pieces())
        .containsExactly(
            new Timeline.Piece("wait", 0, 250), new Timeline.Piece("success", 250, 250));
    assertThat(line.bars().get(1).pieces())
        .containsExactly(
            new Timeline.Piece("wait", 500, 100), new Timeline.Piece("failed", 600, 400));
  }

  @Test
  void whatLastsGoesToTheEndWithoutATimeOfItsOwn() {
    Timeline held =
        Timeline.of(
            List.of(
                entry(1_000, "CREATED", null, null, null, null),
                entry(2_000, "HELD", "split", null, null, 1_000L),
                entry(2_000, "CURRENT", "split", "EXECUTING", null, null)),
            TaskStatus.EXECUTING);
    Timeline.Piece run = held.bars().get(0).pieces().get(1);

    assertThat(run.kind()).isEqualTo("executing");
    assertThat(run.x() + run.width()).isEqualTo(Timeline.WIDTH);

    Timeline waiting =
        Timeline.of(
            List.of(
                entry(1_000, "CREATED", null, null, null, null),
                entry(1_000, "CURRENT", "split", "WAITING", null, null)),
            TaskStatus.WAITING);
    assertThat(waiting.bars().get(0).pieces())
        .containsExactly(new Timeline.Piece("wait", 0, Timeline.WIDTH));
  }

  @Test
  void allPiecesAreWithinTheBarAndSeen() {
    Timeline line =
        Timeline.of(
            List.of(
                entry(1_000, "CREATED", null, null, null, null),
                entry(1_000, "REPORT", "a", "RETRY", 0L, 0L),
                entry(900_000_000, "REPORT", "a", "SUCCESS", 1L, 5_000_000_000L),
                entry(900_000_000, "CURRENT", "a", "SUCCESS", null, null)),
            TaskStatus.SUCCESS);

    assertThat(line.bars().get(0).pieces())
        .allMatch(piece -> piece.x() >= 0 && piece.x() + piece.width() <= Timeline.WIDTH)
        .allMatch(piece -> piece.width() > 0);
    assertThat(Timeline.of(List.of(), TaskStatus.SUCCESS).bars()).isEmpty();
  }

  @Test
  void audioIsKnownByItsFirstBytesAlone() {
    assertThat(typeOf("RIFF....WAVE")).isEqualTo("audio/wav");
    assertThat(typeOf("OggS........")).isEqualTo("audio/ogg");
    assertThat(typeOf("fLaC........")).isEqualTo("audio/flac");
    assertThat(typeOf("ID3.........")).isEqualTo("audio/mpeg");
    assertThat(typeOf("....ftypM4A ")).isEqualTo("audio/mp4");
    assertThat(typeOf("\u00FF\u00FB\u0090.........")).isEqualTo("audio/mpeg");
    for (String other :
        new String[] {
          "<!DOCTYPE html>", "<svg xmlns='", "%PDF-1.7....", "RIFF....WEBP", "GIF89a......", ""
        }) {
      assertThat(typeOf(other)).as(other).isEmpty();
    }
  }

  private static String typeOf(String begin) {
    return AudioSignature.typeOf(begin.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1))
        .orElse("");
  }
}
