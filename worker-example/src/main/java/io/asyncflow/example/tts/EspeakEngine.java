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
 * Speaks many languages with espeak-ng, in one process for each text, which starts in milliseconds
 * and is killed if it hangs.
 *
 * <p>The letters of a text determine the language of its voice; texts with Latin letters use the
 * configured voice.
 */
class EspeakEngine implements SpeechEngine {

  private static final String PROGRAM = "espeak-ng";

  /** The format of FreeTTS, so that pieces of both engines can be joined. */
  private static final AudioFormat FORMAT = new AudioFormat(16_000, 16, 1, true, false);

  /** The sample rate of espeak-ng; otherwise it has the same format. */
  private static final int ITS_RATE = 22_050;

  /** A text of the longest passage takes a second. */
  private static final long PATIENCE_SECONDS = 60;

  /** The size in bytes of a minimal WAV header. */
  private static final int HEADER = 44;

  /** Han comes last, because Japanese uses it, too. */
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
   * @param voice the voice for Latin letters, such as {@code en-us}; {@code espeak-ng --voices}
   *     lists them
   */
  EspeakEngine(String voice) {
    if (!voice.matches("[a-z]{2,3}([-+][A-Za-z0-9]+)*")) {
      throw new IllegalArgumentException(
          "example.tts.voice must be a voice of espeak-ng, as en-us, not " + voice + ".");
    }
    this.voice = voice;
  }

  /** Whether espeak-ng is installed on this machine. */
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

  /** Writes the text, then reads the sound: espeak-ng reads the whole text before it writes. */
  private static byte[] converse(Process process, String text) throws IOException {
    try (OutputStream in = process.getOutputStream();
        InputStream out = process.getInputStream()) {
      in.write(text.getBytes(StandardCharsets.UTF_8));
      in.close();
      return out.readAllBytes();
    }
  }

  /** Resamples to the rate of the format by linear interpolation, which suffices for speech. */
  private static byte[] resampled(ByteBuffer sound) {
    ShortBuffer source = sound.order(ByteOrder.LITTLE_ENDIAN).asShortBuffer();
    int frames = (int) ((long) source.limit() * (long) FORMAT.getSampleRate() / ITS_RATE);
    ByteBuffer target = ByteBuffer.allocate(2 * frames).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < frames; i++) {
      double position = i * (double) ITS_RATE / FORMAT.getSampleRate();
      int before = (int) position;
      int after = Math.min(before + 1, source.limit() - 1);
      double share = position - before;
      target.putShort(
          (short) Math.round((1 - share) * source.get(before) + share * source.get(after)));
    }
    return target.array();
  }
}
