package io.asyncflow.example.tts;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.worker.Slot;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FreeTtsEngineTest {

  /** Shared, as a voice takes half a second to load. */
  private static final FreeTtsEngine engine = new FreeTtsEngine();

  private static final Slot SLOT = new Slot("cpu", 0);
  private static final String TEXT = "Hello world, this is a test of the speech engine.";

  private static final String ENGLISH_ONLY =
      ", and FreeTTS speaks English only; install espeak-ng on every worker for the rest";

  @Test
  void aSentenceTakesAsLongAsAPersonWouldNeed() {
    assertThat(secondsOf(TEXT)).isBetween(2.0, 4.0);
    assertThat(secondsOf(TEXT + " " + TEXT)).isBetween(4.0, 8.0);
  }

  @Test
  void theSoundIsSpeechAndNotNoise() {
    // With the bytes of each sample swapped neighbours would be unrelated; in speech they are
    // close.
    byte[] pcm = engine.speak(TEXT, SLOT);
    short[] samples = new short[pcm.length / 2];
    ByteBuffer.wrap(pcm).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer().get(samples);
    double power = 0;
    double change = 0;
    for (int i = 1; i < samples.length; i++) {
      power += Math.pow(samples[i], 2);
      change += Math.pow(samples[i] - samples[i - 1], 2);
    }
    assertThat(Math.sqrt(power / samples.length)).isBetween(500.0, 10_000.0);
    assertThat(change / power).isLessThan(0.5);
  }

  @Test
  void theSameTextGivesTheSameBytesWhateverWasSpokenBefore() {
    byte[] first = engine.speak(TEXT, SLOT);
    engine.speak("Something else, 42 times!", SLOT);
    assertThat(engine.speak(TEXT, SLOT)).isEqualTo(first);
    assertThat(new FreeTtsEngine().speak(TEXT, SLOT)).isEqualTo(first);
  }

  @Test
  void slotsSpeakAtTheSameTimeWithoutDisturbingEachOther() throws Exception {
    byte[] alone = engine.speak(TEXT, SLOT);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<byte[]>> spoken =
          IntStream.range(0, 40)
              .mapToObj(i -> threads.submit(() -> engine.speak(TEXT, new Slot("cpu", i % 4))))
              .toList();
      for (Future<byte[]> each : spoken) {
        assertThat(each.get()).isEqualTo(alone);
      }
    } finally {
      threads.shutdown();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "A",
        "x\u0000y",
        "$5.50 and 12345678901234567890 items, 3/4 of 1e10 at 10:30 pm",
        "http://example.com/a?b=c&d=e",
        "<b>not markup</b> & %s \\ _ ^ | {} []",
        "Hello '",
        "“Quoted” — and so on… it’s ½ off",
        "Smile 😀 now",
        "naïve café, Smørrebrød, Łódź, Straße, œuvre, ﬁne, ＡＢＣ",
      })
  void whatIsNotRefusedIsHeard(String text) {
    assertThat(engine.objectionTo(text)).isEmpty();
    assertThat(secondsOf(text)).isGreaterThan(0.3);
  }

  @Test
  void accentsAndTypographyAreSpokenAsTheirPlainLetters() {
    assertThat(engine.speak("The naïve café — it’s “open”…", SLOT))
        .isEqualTo(engine.speak("The naive cafe - it's \"open\"...", SLOT));
  }

  @Test
  void aVeryLongWordIsSpoken() {
    assertThat(secondsOf("a".repeat(500))).isGreaterThan(10);
    assertThat(secondsOf("1".repeat(500))).isGreaterThan(10);
  }

  @Test
  void foreignLettersAreRefusedAndShown() {
    assertThat(engine.objectionTo("你好，世界")).hasValue("has \"你好\" in it" + ENGLISH_ONLY);
    assertThat(engine.objectionTo("The word Привет means hello"))
        .hasValue("has \"Привет\" in it" + ENGLISH_ONLY);
    assertThat(engine.objectionTo("한국어")).isPresent();
    assertThat(engine.objectionTo("مرحبا")).isPresent();
    assertThat(engine.objectionTo("٣")).isPresent();
    assertThat(engine.objectionTo("漢".repeat(1000)))
        .hasValue("has \"" + "漢".repeat(10) + "\" in it" + ENGLISH_ONLY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "   ", "...", "* * *", "😀"})
  void whatHasNoSoundIsRefused(String text) {
    assertThat(engine.objectionTo(text)).hasValue("has nothing to speak in it");
  }

  private static double secondsOf(String text) {
    return engine.speak(text, SLOT).length / 2 / engine.format().getFrameRate();
  }
}
