package io.asyncflow.example.tts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.example.Run;
import io.asyncflow.example.tts.MergeStage.SpokenText;
import io.asyncflow.example.tts.Sound.Tone;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.Stage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

class TtsStagesTest {

  private static final int PAUSE_FRAMES = 160;

  @TempDir Path temp;
  private Path input;
  private Path output;

  @BeforeEach
  void makeDirectories() throws Exception {
    input = Files.createDirectories(temp.toRealPath().resolve("in"));
    output = temp.toRealPath().resolve("out");
  }

  @Test
  void piecesAreMergedInOrderWithPausesBetweenParagraphs() throws Exception {
    SpokenText spoken = aTask("1 one\n\n2 two two\n\n3 three").playToTheEnd();
    assertThat(Sound.of(Path.of(spoken.wav())).tones())
        .containsExactly(tone("1 one"), pause(), tone("2 two two"), pause(), tone("3 three"));
    assertThat(spoken.paragraphs()).isEqualTo(3);
    assertThat(spoken.seconds())
        .isEqualTo((3 * (5 + 9 + 7) + 2 * PAUSE_FRAMES) / 16_000.0, within());
  }

  @Test
  void aSingleParagraphIsSpokenInOneRun() throws Exception {
    PlayedTask task = aTask("1 alone");
    task.commit(task.run(task.hold()));
    task.commit(task.run(task.hold()));
    assertThat(task.stage()).isEqualTo("merge");
    assertThat(Sound.of(Path.of(task.playToTheEnd().wav())).tones())
        .containsExactly(tone("1 alone"));
  }

  @Test
  void twoThousandParagraphsAreSpokenEachOnceAndInOrder() throws Exception {
    List<String> paragraphs =
        IntStream.rangeClosed(1, 2_000).mapToObj(i -> i + " " + "x".repeat(1 + i % 7)).toList();
    PlayedTask task = aTask(String.join("\r\n\r\n", paragraphs));
    SpokenText spoken = task.playToTheEnd();
    assertThat(Sound.of(Path.of(spoken.wav())).tones())
        .isEqualTo(
            paragraphs.stream()
                .flatMap(paragraph -> Stream.of(pause(), tone(paragraph)))
                .skip(1)
                .toList());
    assertThat(spoken.paragraphs()).isEqualTo(2_000);
    assertThat(task.contexts).hasSize(1 + 1 + 500);
  }

  @Test
  void theContextTellsParagraphsAndHowManyAreSpoken() throws Exception {
    PlayedTask task = aTask("1 a\n\n2 b\n\n3 c\n\n4 d\n\n5 e");
    task.playTo("merge");
    assertThat(task.contexts).hasSize(4);
    assertThat(task.contexts.get(1)).contains("\"paragraphs\":5").contains("\"spoken\":0");
    assertThat(task.contexts.get(2)).contains("\"paragraphs\":5").contains("\"spoken\":4");
    assertThat(task.contexts.get(3)).contains("\"paragraphs\":5").contains("\"spoken\":5");
    assertThat(task.contexts).allMatch(context -> context.contains("\"textFile\""));
  }

  @Test
  void theLongestPathsLeaveRoomInTheContext() throws Exception {
    String deep = ("/" + "界".repeat(80)).repeat(7);
    Path in = Files.createDirectories(Path.of(input + deep.substring(0, 510)));
    Path text = Files.writeString(in.resolve("text.txt"), "1 a");
    PlayedTask task =
        new PlayedTask(
            "7_tts_task_1",
            settings(),
            new ToneEngine(),
            new SpeechRequest(text.toString(), output + deep.substring(0, 510)));
    task.playToTheEnd();
    assertThat(task.contexts.get(1).getBytes(StandardCharsets.UTF_8)).hasSizeGreaterThan(3_000);
  }

  @Test
  void aRunThatWasGivenUpChangesNothing() throws Exception {
    String text = "1 a\n\n2 b\n\n3 c\n\n4 d\n\n5 e\n\n6 f\n\n7 g\n\n8 h\n\n9 i";
    Path undisturbed = Path.of(aTask(text).playToTheEnd().wav());
    byte[] expected = Files.readAllBytes(undisturbed);

    PlayedTask task = aTask(text);
    task.playTo("synthesize");
    task.commit(task.run(task.hold()));
    Run slow = task.hold();
    Run dead = task.hold();
    dead.atProgress(dead::cancel);
    assertThatThrownBy(() -> task.run(dead)).isInstanceOf(InterruptedException.class);
    task.commit(task.run(task.hold()));
    // Only now does the slow one finish what it was held for; its report would be refused.
    task.run(slow);
    task.commit(task.run(task.hold()));
    task.run(slow);
    task.run(task.hold());
    SpokenText spoken = task.playToTheEnd();
    task.run(slow);

    assertThat(Path.of(spoken.wav())).hasBinaryContent(expected);
    assertThat(Files.readAllBytes(undisturbed)).isEqualTo(expected);
  }

  @Test
  void aMergeMayBeRunAgain() throws Exception {
    PlayedTask task = aTask("1 a\n\n2 b");
    Path first = Path.of(task.playToTheEnd().wav());
    Path second = Path.of(task.playToTheEnd().wav());
    assertThat(second).isNotEqualTo(first).hasSameBinaryContentAs(first);
  }

  @Test
  void filesAreNamedByTaskStageAndEpoch() throws Exception {
    SpokenText spoken = aTask("1 a").playToTheEnd();
    assertThat(Path.of(spoken.wav())).isEqualTo(output.resolve("7_tts_task_1_merge_3.wav"));
    try (Stream<Path> files = Files.list(output.resolve("7_tts_task_1"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "7_tts_task_1_split_1.json",
              "7_tts_task_1_synthesize_2.json",
              "7_tts_task_1_synthesize_2.wav");
    }
  }

  @Test
  void aRunEndsWhenHalfOfItsTimeIsOver() throws Exception {
    PlayedTask task = aTask("1 a\n\n2 b\n\n3 c\n\n4 d").playTo("synthesize");
    Duration all = Duration.ofSeconds(30);
    task.commit(task.run(task.hold().withRemaining(all, all.dividedBy(3))));
    assertThat(task.contexts.get(2)).contains("\"spoken\":1");
    task.commit(task.run(task.hold().withRemaining(Duration.ZERO, Duration.ZERO)));
    assertThat(task.contexts.get(3)).contains("\"spoken\":2");
    task.commit(task.run(task.hold()));
    assertThat(task.contexts.get(4)).contains("\"spoken\":4");
  }

  @Test
  void onlySynthesizeTakesASlot() {
    assertThat(List.of(SplitStage.class, SynthesizeStage.class, MergeStage.class))
        .filteredOn(stage -> stage.getAnnotation(Stage.class).slot())
        .containsExactly(SynthesizeStage.class);
  }

  @Test
  void progressIsTold() throws Exception {
    PlayedTask task = aTask("1 a\n\n2 b\n\n3 c").playTo("synthesize");
    Run run = task.hold();
    task.run(run);
    assertThat(run.progress).containsExactly(33, 66, 100);
  }

  @Test
  void aCancelledRunStopsBetweenPassagesAndWritesNothing() throws Exception {
    PlayedTask task = aTask("1 a\n\n2 b\n\n3 c").playTo("synthesize");
    Run run = task.hold();
    run.atProgress(run::cancel);
    assertThatThrownBy(() -> task.run(run)).isInstanceOf(InterruptedException.class);
    assertThat(run.progress).containsExactly(33);
    assertThat(output.resolve("7_tts_task_1/7_tts_task_1_synthesize_2.wav")).doesNotExist();
  }

  @Test
  void aPieceThatIsCutShortIsNoticed() throws Exception {
    PlayedTask task = aTask("1 abc\n\n2 d").playTo("merge");
    Path piece = output.resolve("7_tts_task_1/7_tts_task_1_synthesize_2.wav");
    Wav.write(piece, new byte[10], new ToneEngine().format());
    assertThatThrownBy(() -> task.run(task.hold()))
        .hasMessage(piece + " is not the sound that its run wrote.");
    Files.delete(piece);
    assertThatThrownBy(() -> task.run(task.hold()))
        .hasMessage(piece + " is missing; all workers of tts must see the same output directory.");
    try (Stream<Path> files = Files.list(output)) {
      assertThat(files).containsExactly(output.resolve("7_tts_task_1"));
    }
  }

  @Test
  void whatTheEngineCannotSpeakIsRefusedAtSplitWithItsParagraph() throws Exception {
    assertThatThrownBy(() -> aTask("1 a\n\n2 b ☠\n\n3 c").playToTheEnd())
        .isInstanceOf(NonRetryableException.class)
        .hasMessage("Paragraph 2 has a skull in it.");
    assertThat(output.resolve("7_tts_task_1")).doesNotExist();
  }

  @Test
  void anEmptyFileIsRefused() {
    assertThatThrownBy(() -> aTask("").playToTheEnd())
        .isInstanceOf(NonRetryableException.class)
        .hasMessage("The text file " + input.resolve("text.txt") + " has nothing to speak in it.");
  }

  @Test
  void pathsThatLeadOutsideAreRefusedInEveryStage() throws Exception {
    PlayedTask task = aTask("1 a", temp.toString());
    assertThatThrownBy(() -> task.run(task.hold())).hasMessageContaining("is outside of");
    String forged =
        aTask("1 a").playTo("synthesize").contexts.get(1).replace("{", "{\"outputDir\":\"/tmp\",");
    for (String stage : List.of("synthesize", "merge")) {
      assertThatThrownBy(() -> task.run(Run.of("7_tts_task_1", stage).reading(forged)))
          .isInstanceOf(NonRetryableException.class)
          .hasMessageContaining("is outside of");
    }
  }

  @Test
  void forgedContextsAreRefused() throws Exception {
    PlayedTask task = aTask("1 a\n\n2 b\n\n3 c\n\n4 d\n\n5 e").playTo("merge");
    String good = task.contexts.get(3);
    for (String stage : List.of("synthesize", "merge")) {
      assertRefused(
          task,
          stage,
          good.replaceAll("\"script\":\"[^\"]*\"", "\"script\":\"../../secret\""),
          "The context names a file that no run has written.");
    }
    assertRefused(task, "synthesize", good, "The script has no passage 5.");
    assertRefused(
        task,
        "synthesize",
        good.replace("\"next\":5", "\"next\":-1"),
        "The script has no passage -1.");
    assertRefused(
        task,
        "merge",
        good.replaceAll("\"piece\":\"[^\"]*\",", ""),
        "The passages before 5 have not been spoken.");
    assertRefused(
        task,
        "merge",
        task.contexts.get(2),
        "The piece 7_tts_task_1_synthesize_2 does not fit the one after it.");
    assertRefused(
        task,
        "merge",
        good.replaceAll("\"frames\":\\d+", "\"frames\":1"),
        "The pieces are not as long as the context says.");
  }

  @Test
  void aSpeechTooLongForAWavIsRefused() throws Exception {
    PlayedTask task = aTask("1 a").playTo("synthesize");
    String long32 = task.contexts.get(1).replace("\"frames\":0", "\"frames\":1073741799");
    assertRefused(
        task, "synthesize", long32, "The speech is too long for one WAV file at paragraph 1.");
  }

  @Test
  void aTextIsHeardWithTheRealEngine() throws Exception {
    String text =
        "\uFEFFOnce upon a time, there was a fish.\r\n\r\n"
            + "It could not sing. It tried every day, and every day the others swam away.\r\n\r\n"
            + "In the end, it took up the drums!\r\n";
    SpokenText spoken = aTask(text, null, new FreeTtsEngine()).playToTheEnd();
    Sound sound = Sound.of(Path.of(spoken.wav()));
    assertThat(spoken.paragraphs()).isEqualTo(3);
    assertThat(spoken.seconds())
        .isBetween(7.0, 14.0)
        .isEqualTo(sound.frames() / 16_000.0, within());
    assertThat(sound.loudness()).isBetween(500.0, 10_000.0);
    assertThat(sound.tones()).anyMatch(tone -> tone.value() == 0 && tone.frames() >= PAUSE_FRAMES);
  }

  @Test
  void chineseIsRefusedBeforeAnythingIsSpoken() {
    assertThatThrownBy(() -> aTask("Hello.\n\n从前有一条鱼。", null, new FreeTtsEngine()).playToTheEnd())
        .isInstanceOf(NonRetryableException.class)
        .hasMessage("Paragraph 2 has \"从前有一条鱼\" in it, and FreeTTS speaks English only.");
  }

  private static void assertRefused(PlayedTask task, String stage, String context, String message) {
    Run run = Run.of("7_tts_task_1", stage).epoch(99).reading(context);
    assertThatThrownBy(() -> task.run(run))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage(message);
  }

  private PlayedTask aTask(String text) throws Exception {
    return aTask(text, null);
  }

  private PlayedTask aTask(String text, String outputDir) throws Exception {
    return aTask(text, outputDir, new ToneEngine());
  }

  private PlayedTask aTask(String text, String outputDir, SpeechEngine engine) throws Exception {
    Path file = Files.writeString(input.resolve("text.txt"), text, StandardCharsets.UTF_8);
    return new PlayedTask(
        "7_tts_task_1", settings(), engine, new SpeechRequest(file.toString(), outputDir));
  }

  private TtsSettings settings() {
    return new TtsSettings(input, output, DataSize.ofMegabytes(1), 400, 4, Duration.ofMillis(10));
  }

  private static Tone tone(String text) {
    return new Tone(Integer.parseInt(text.split(" ")[0]), ToneEngine.framesOf(text));
  }

  private static Tone pause() {
    return new Tone(0, PAUSE_FRAMES);
  }

  private static Offset<Double> within() {
    return Offset.offset(0.001);
  }
}
