package io.asyncflow.example.tts;

import io.asyncflow.worker.ChildPrograms;
import io.asyncflow.worker.Slot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.Character.UnicodeScript;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sound.sampled.AudioFormat;

/**
 * Many languages, with espeak-ng as a process of its own for each text: it starts in milliseconds,
 * and one that hangs is killed.
 *
 * <p>Each text is spoken in the voice of the language that its letters tell; those that tell none,
 * as Latin ones, in the voice that is configured.
 */
class EspeakEngine implements SpeechEngine {

  private static final String PROGRAM = "espeak-ng";

  /** FreeTTS's, so that pieces of both can be joined. */
  private static final AudioFormat FORMAT = new AudioFormat(16_000, 16, 1, true, false);

  /** What espeak-ng writes: as above, and so many samples a second. */
  private static final int ITS_RATE = 22_050;

  /** A text of the longest passage takes a second. */
  private static final long PATIENCE_SECONDS = 60;

  /** What stands before the samples, when nothing else does. */
  private static final int HEADER = 44;

  /** Han is looked for last: Japanese writes with it, too. */
  private static final Map<UnicodeScript, String> VOICES =
      Map.of(
          UnicodeScript.HIRAGANA, "ja",
          UnicodeScript.KATAKANA, "ja",
          UnicodeScript.HANGUL, "ko",
          UnicodeScript.CYRILLIC, "ru",
          UnicodeScript.GREEK, "el",
          UnicodeScript.ARABIC, "ar",
          UnicodeScript.DEVANAGARI, "hi");

  private final String voice;

  /**
   * @param voice for Latin letters, as {@code en-us}; {@code espeak-ng --voices} lists them
   */
  EspeakEngine(String voice) {
    if (!voice.matches("[a-z]{2,3}([-+][A-Za-z0-9]+)*")) {
      throw new IllegalArgumentException(
          "example.tts.voice must be a voice of espeak-ng, as en-us, not " + voice + ".");
    }
    this.voice = voice;
  }

  /** Whether this machine has it. */
  static boolean isInstalled() {
    try {
      Process process =
          ChildPrograms.of(PROGRAM, "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      process.destroyForcibly();
      return ended && process.exitValue() == 0;
    } catch (IOException thereIsNone) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public AudioFormat format() {
    return FORMAT;
  }

  @Override
  public Optional<String> objectionTo(String text) {
    return text.codePoints().anyMatch(Script::isSpoken)
        ? Optional.empty()
        : Optional.of("has nothing to speak in it");
  }

  /** The voice for a text. */
  String voiceOf(String text) {
    return text.codePoints()
        .mapToObj(UnicodeScript::of)
        .filter(VOICES::containsKey)
        .findFirst()
        .map(VOICES::get)
        .orElseGet(() -> isChinese(text) ? "cmn" : voice);
  }

  private static boolean isChinese(String text) {
    return text.codePoints().mapToObj(UnicodeScript::of).anyMatch(UnicodeScript.HAN::equals);
  }

  @Override
  public byte[] speak(String text, Slot slot) throws InterruptedException {
    Process process = start(text);
    try {
      FutureTask<byte[]> sound = new FutureTask<>(() -> converse(process, text));
      Thread talk = new Thread(sound, "espeak-ng-" + slot.device() + "-" + slot.index());
      talk.setDaemon(true);
      talk.start();
      byte[] wav = sound.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (process.waitFor() != 0 || wav.length < HEADER) {
        throw new IllegalStateException(
            "espeak-ng ended with " + process.exitValue() + " at \"" + text + "\".");
      }
      return resampled(ByteBuffer.wrap(wav, HEADER, wav.length - HEADER).slice());
    } catch (ExecutionException e) {
      throw new IllegalStateException("espeak-ng cannot be spoken with.", e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("espeak-ng hung at \"" + text + "\".", e);
    } finally {
      process.destroyForcibly();
    }
  }

  @Override
  public String toString() {
    return PROGRAM;
  }

  private Process start(String text) {
    try {
      return ChildPrograms.of(PROGRAM, "-v", voiceOf(text), "-b", "1", "--stdin", "--stdout")
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException("espeak-ng cannot be started.", e);
    }
  }

  /** It reads all of the text before it writes. */
  private static byte[] converse(Process process, String text) throws IOException {
    try (OutputStream in = process.getOutputStream();
        InputStream out = process.getInputStream()) {
      in.write(text.getBytes(StandardCharsets.UTF_8));
      in.close();
      return out.readAllBytes();
    }
  }

  /** At the rate of the format, on straight lines between the samples: speech is no music. */
  private static byte[] resampled(ByteBuffer sound) {
    ShortBuffer from = sound.order(ByteOrder.LITTLE_ENDIAN).asShortBuffer();
    int frames = (int) ((long) from.limit() * (long) FORMAT.getSampleRate() / ITS_RATE);
    ByteBuffer to = ByteBuffer.allocate(2 * frames).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < frames; i++) {
      double at = i * (double) ITS_RATE / FORMAT.getSampleRate();
      int before = (int) at;
      int after = Math.min(before + 1, from.limit() - 1);
      double share = at - before;
      to.putShort((short) Math.round((1 - share) * from.get(before) + share * from.get(after)));
    }
    return to.array();
  }
}
