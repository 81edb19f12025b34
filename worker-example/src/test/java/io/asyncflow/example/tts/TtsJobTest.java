package io.asyncflow.example.tts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.JobChild;
import io.asyncflow.example.tts.Sound.Tone;
import io.asyncflow.fake.FakeStore;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.ObjectGoneException;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.StageResult.Done;
import io.asyncflow.worker.testing.StageHarness;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

class TtsJobTest {

  private static final int PAUSE_FRAMES = 160;

  @TempDir Path temp;
  private final FakeStore store = new FakeStore();
  private SpeechEngine engine = new ToneEngine();
  private String ffmpeg = "no-such-program";
  private int epochs;

  @Test
  void piecesAreMergedInOrderWithPausesBetweenParagraphs() throws Exception {
    SpokenText spoken = speak("1 one\n\n2 two two\n\n3 three");
    assertThat(sound(spoken).tones())
        .containsExactly(tone("1 one"), pause(), tone("2 two two"), pause(), tone("3 three"));
    assertThat(spoken.paragraphs()).isEqualTo(3);
    assertThat(spoken.seconds())
        .isEqualTo((3 * (5 + 9 + 7) + 2 * PAUSE_FRAMES) / 16_000.0, within());
  }

  @Test
  void noPauseDividesAParagraph() throws Exception {
    String sentence = "1 " + "x".repeat(300) + "! ";
    SpokenText spoken = speak(sentence + sentence + "\n\n2 two");
    Tone one = tone(sentence.strip());
    assertThat(sound(spoken).tones())
        .containsExactly(new Tone(1, 2 * one.frames()), pause(), tone("2 two"));
    assertThat(spoken.paragraphs()).isEqualTo(2);
  }

  @Test
  void twoThousandParagraphsAreSpokenEachOnceAndInOrder() throws Exception {
    List<String> paragraphs =
        IntStream.rangeClosed(1, 2_000).mapToObj(i -> i + " " + "x".repeat(1 + i % 7)).toList();
    SpokenText spoken = speak(String.join("\r\n\r\n", paragraphs));
    assertThat(sound(spoken).tones())
        .isEqualTo(
            paragraphs.stream()
                .flatMap(paragraph -> Stream.of(pause(), tone(paragraph)))
                .skip(1)
                .toList());
    assertThat(spoken.paragraphs()).isEqualTo(2_000);
  }

  @Test
  void theWorstPassageFitsIntoAContext() throws Exception {
    String worst = "1\u0001".repeat(1_000);
    for (JobChild child : split(worst)) {
      assertThat(child.taskContext().getBytes(StandardCharsets.UTF_8))
          .hasSizeLessThanOrEqualTo(4_096);
    }
  }

  @Test
  void aRunThatWasGivenUpChangesNothing() throws Exception {
    JobChild child = split("1 a").get(0);
    Piece slow = synthesize(child);
    Piece committed = synthesize(child);
    assertThat(committed.sound()).isNotEqualTo(slow.sound());
    SpokenText first = merge(List.of(committed));
    SpokenText second = merge(List.of(committed));
    assertThat(second.wav()).isNotEqualTo(first.wav());
    assertThat(stored(second.wav())).isEqualTo(stored(first.wav()));
  }

  @Test
  void onlySynthesizeTakesASlot() {
    assertThat(List.of(SplitStage.class, SynthesizeStage.class, MergeStage.class))
        .filteredOn(stage -> stage.getAnnotation(Stage.class).slot())
        .containsExactly(SynthesizeStage.class);
  }

  @Test
  void aMergeTellsHowFarItIs() throws Exception {
    List<Piece> pieces = List.of(synthesize(split("1 a").get(0)), synthesize(split("2 b").get(0)));
    StageHarness run = StageHarness.run("merge").withStore(store);
    run.merge(merger(), pieces);
    assertThat(run.progress()).containsExactly(0, 50);
  }

  @Test
  void aCancelledMergeStops() throws Exception {
    List<Piece> pieces = List.of(synthesize(split("1 a").get(0)));
    assertThatThrownBy(() -> run("merge").cancelledAlready().merge(merger(), pieces))
        .isInstanceOf(IOException.class)
        .hasMessage("Cancelled at piece 0.");
  }

  @Test
  void aSoundThatIsNotWhatWasAnnouncedIsNoticed() throws Exception {
    Piece piece = synthesize(split("1 abc").get(0));
    Piece longer = new Piece(piece.sound(), 1, piece.frames() + 1);
    assertThatThrownBy(() -> merge(List.of(longer)))
        .hasMessage(piece.sound() + " is not the sound that its run stored.");
    String reference = run("other").store("text", new ByteArrayInputStream(new byte[100]));
    assertThatThrownBy(() -> merge(List.of(new Piece(reference, 1, 10))))
        .hasMessage(reference + " is not a WAV file.");
  }

  @Test
  void aSoundThatIsGoneFailsTheMergeForGood() throws Exception {
    Piece piece = synthesize(split("1 abc").get(0));
    store.remove(piece.sound());
    assertThatThrownBy(() -> merge(List.of(piece))).isInstanceOf(ObjectGoneException.class);
  }

  @Test
  void whatTheEngineCannotSpeakIsRefusedAtSplitWithItsParagraph() {
    assertRefused("1 a\n\n2 b ☠\n\n3 c", "Paragraph 2 has a skull in it.");
  }

  @Test
  void whatIsNoTextToSpeakIsRefused() {
    assertRefused("", "The text has nothing to speak in it.");
    assertRefused("\uFEFF\n * * *", "The text has nothing to speak in it.");
    assertRefused("x".repeat(1024 * 1024 + 1), "The text has 1048577 bytes; 1048576 are spoken.");
    assertRefused("1\n\n".repeat(100_001), "The text has 100001 passages; a job takes 100000.");
  }

  @Test
  void aSpeechTooLongForAWavIsRefused() {
    Piece endless = new Piece("endless.wav", 1, 1_073_741_803);
    assertThatThrownBy(() -> merge(List.of(endless)))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage("The speech is too long for one WAV file.");
  }

  @Test
  void withoutFfmpegThereIsNoMp3AndTheResultSaysSo() throws Exception {
    SpokenText spoken = speak("1 a");
    assertThat(spoken.mp3()).isNull();
    assertThat(spoken.noMp3()).isEqualTo("ffmpeg is not installed where the speech was merged.");
  }

  @Test
  void ffmpegMakesAnMp3OfTheWav() throws Exception {
    ffmpeg =
        program("for last; do :; done; echo \"$5 $6 $7\" > \"$last\"; cat \"$6\" >> \"$last\"");
    SpokenText spoken = speak("1 a");
    assertThat(spoken.noMp3()).isNull();
    assertThat(new String(stored(spoken.mp3()), StandardCharsets.ISO_8859_1))
        .startsWith("-i ")
        .endsWith(new String(stored(spoken.wav()), StandardCharsets.ISO_8859_1));
  }

  @Test
  void anFfmpegThatFailsCostsTheMp3Only() throws Exception {
    ffmpeg = program("exit 3");
    SpokenText spoken = speak("1 a");
    assertThat(spoken.mp3()).isNull();
    assertThat(spoken.noMp3()).isEqualTo("ffmpeg ended with 3.");
    assertThat(sound(spoken).tones()).containsExactly(tone("1 a"));
  }

  @Test
  void aTextIsHeardWithTheRealEngine() throws Exception {
    engine = new FreeTtsEngine();
    SpokenText spoken =
        speak(
            "\uFEFFOnce upon a time, there was a fish.\r\n\r\n"
                + "It could not sing. It tried every day, and the others swam away.\r\n\r\n"
                + "In the end, it took up the drums!\r\n");
    Sound sound = sound(spoken);
    assertThat(spoken.paragraphs()).isEqualTo(3);
    assertThat(spoken.seconds())
        .isBetween(6.0, 14.0)
        .isEqualTo(sound.frames() / 16_000.0, within());
    assertThat(sound.loudness()).isBetween(500.0, 10_000.0);
    assertThat(sound.tones()).anyMatch(tone -> tone.value() == 0 && tone.frames() >= PAUSE_FRAMES);
  }

  @Test
  void chineseIsRefusedBeforeAnythingIsSpoken() {
    engine = new FreeTtsEngine();
    assertRefused(
        "Hello.\n\n从前有一条鱼。",
        "Paragraph 2 has \"从前有一条鱼\" in it, and FreeTTS speaks English only; install espeak-ng on"
            + " every worker for the rest.");
  }

  private void assertRefused(String text, String message) {
    assertThatThrownBy(() -> split(text))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage(message);
  }

  /** As a server and its workers would have it; the children end in any order. */
  private SpokenText speak(String text) throws Exception {
    List<JobChild> children = split(text);
    List<Integer> order = new ArrayList<>(IntStream.range(0, children.size()).boxed().toList());
    Collections.reverse(order);
    Piece[] pieces = new Piece[children.size()];
    for (int index : order) {
      pieces[index] = synthesize(children.get(index));
    }
    return merge(List.of(pieces));
  }

  private List<JobChild> split(String text) throws Exception {
    return StageHarness.run("split").split(new SplitStage(settings(), engine), text);
  }

  private Piece synthesize(JobChild child) throws Exception {
    assertThat(child.taskStage()).isEqualTo("synthesize");
    StageResult result =
        run("synthesize")
            .withContext(child.taskContext())
            .onSlot("cpu")
            .with(new SynthesizeStage(engine));
    return (Piece) ((Done) result).result();
  }

  private SpokenText merge(List<Piece> pieces) throws Exception {
    StageResult result = run("merge").merge(merger(), pieces);
    return (SpokenText) ((Done) result).result();
  }

  private MergeStage merger() {
    return new MergeStage(settings(), engine, new Mp3Encoder(ffmpeg));
  }

  private StageHarness run(String stage) {
    return StageHarness.run(stage).inEpoch(++epochs).withStore(store);
  }

  private byte[] stored(String reference) throws IOException {
    try (InputStream in = run("look").open(reference)) {
      return in.readAllBytes();
    }
  }

  private Sound sound(SpokenText spoken) throws Exception {
    return Sound.of(Files.write(temp.resolve("speech.wav"), stored(spoken.wav())));
  }

  private String program(String script) throws IOException {
    Path file = Files.writeString(temp.resolve("ffmpeg"), "#!/bin/sh\n" + script + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file.toString();
  }

  private TtsSettings settings() {
    return new TtsSettings(DataSize.ofMegabytes(1), 400, Duration.ofMillis(10));
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
