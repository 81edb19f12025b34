package io.asyncflow.example.tts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.worker.Slot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EspeakEngineTest {

  private static final Slot SLOT = new Slot("cpu", 0);

  private final EspeakEngine engine = new EspeakEngine("en-us");

  private static void assumeInstalled() {
    boolean installed = EspeakEngine.isInstalled();
    if (!installed) {
      System.out.println(
          "NOT RUN: what EspeakEngineTest says with espeak-ng, which is not installed");
    }
    assumeTrue(installed, "espeak-ng is not installed");
  }

  @ParameterizedTest
  @CsvSource({
    "'Hello, world', en-us",
    "'你好，世界。', cmn",
    "'He said 你好 to me', cmn",
    "'世界へようこそ', ja",
    "'안녕하세요', ko",
    "'Привет', ru",
    "'42', en-us",
  })
  void theLettersTellTheVoice(String text, String voice) {
    assertThat(engine.voiceOf(text)).isEqualTo(voice);
  }

  @Test
  void whatCannotBeAVoiceIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new EspeakEngine("../voices/x"));
    assertThat(new EspeakEngine("de").voiceOf("Guten Tag")).isEqualTo("de");
  }

  @Test
  void whatHasNothingToSpeakIsRefused() {
    assertThat(engine.objectionTo("…")).isPresent();
    assertThat(engine.objectionTo("从前有一条鱼。")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Hello, this is a sentence.", "从前有一条鱼，它很大。", "--version -v x"})
  void aSentenceBecomesSound(String text) throws InterruptedException {
    assumeInstalled();
    byte[] pcm = engine.speak(text, SLOT);
    double seconds = pcm.length / 2 / engine.format().getFrameRate();
    assertThat(seconds).isBetween(0.5, 8.0);
    int silent = 0;
    for (byte b : pcm) {
      silent += b == 0 ? 1 : 0;
    }
    assertThat(silent).isLessThan(pcm.length / 2);
    assertThat(engine.speak(text, SLOT)).isEqualTo(pcm);
  }

  @Test
  void aLongerTextTakesLonger() throws InterruptedException {
    assumeInstalled();
    String text = "从前有一条鱼，它很大。";
    assertThat(engine.speak(text.repeat(40), SLOT).length)
        .isGreaterThan(20 * engine.speak(text, SLOT).length);
  }

  @Test
  void freeTtsSpeaksWhatItCanAndEspeakTheRest() throws InterruptedException {
    FreeTtsEngine freeTts = new FreeTtsEngine();
    SpeechEngine both = new TwoEngines(freeTts, engine);
    assertThat(both.objectionTo("从前有一条鱼。")).isEmpty();
    assertThat(both.objectionTo("…")).isPresent();
    assertThat(both.speak("Hello.", SLOT)).isEqualTo(freeTts.speak("Hello.", SLOT));
    assumeInstalled();
    assertThat(both.speak("从前有一条鱼。", SLOT)).isEqualTo(engine.speak("从前有一条鱼。", SLOT));
  }
}
