package io.asyncflow.example.tts;

import com.sun.speech.freetts.FreeTTSSpeakableImpl;
import com.sun.speech.freetts.OutputQueue;
import com.sun.speech.freetts.Voice;
import com.sun.speech.freetts.en.us.cmu_us_kal.KevinVoiceDirectory;
import io.asyncflow.worker.Slot;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.sound.sampled.AudioFormat;

/**
 * Speaks English in pure Java with the voice "kevin16" of FreeTTS.
 *
 * <p>A voice is not thread-safe, takes 0.4 s to load and about 10 MB of memory. So each slot has
 * its own voice, loaded on first use, so that the worker starts fast.
 */
class FreeTtsEngine implements SpeechEngine {

  private static final AudioFormat FORMAT = new AudioFormat(16_000, 16, 1, true, false);

  /** The number of shown characters, enough to find the text. */
  private static final int SHOWN = 10;

  private final Map<Slot, Voice> voices = new HashMap<>();

  @Override
  public AudioFormat format() {
    return FORMAT;
  }

  @Override
  public Optional<String> objectionTo(String text) {
    if (text.codePoints().noneMatch(Script::isSpoken)) {
      return Optional.of("has nothing to speak in it");
    }
    String foreign =
        text.codePoints()
            .dropWhile(FreeTtsEngine::isEnglish)
            .takeWhile(codePoint -> !isEnglish(codePoint))
            .limit(SHOWN)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
    return foreign.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "has \""
                + foreign
                + "\" in it, and FreeTTS speaks English only; install espeak-ng on every worker for the rest");
  }

  @Override
  public byte[] speak(String text, Slot slot) {
    objectionTo(text)
        .ifPresent(
            objection -> {
              throw new IllegalStateException("A passage " + objection + ".");
            });
    Voice voice = voiceOf(slot);
    // The lock covers an interrupted run that still speaks while the next one starts.
    synchronized (voice) {
      PcmSink sink = new PcmSink();
      voice.setAudioPlayer(sink);
      if (!voice.speak(new Words(plain(text)))) {
        throw new IllegalStateException("FreeTTS gave up on \"" + text + "\".");
      }
      return littleEndian(sink.pcm());
    }
  }

  @Override
  public String toString() {
    return "FreeTTS";
  }

  private synchronized Voice voiceOf(Slot slot) {
    return voices.computeIfAbsent(slot, ignored -> newVoice());
  }

  private static Voice newVoice() {
    // Use the directory directly: VoiceManager needs a system property and prints its failures.
    Voice voice =
        Arrays.stream(new KevinVoiceDirectory().getVoices())
            .filter(candidate -> candidate.getName().equals("kevin16"))
            .findFirst()
            .orElseThrow();
    // Before allocate(), which would otherwise require a sound card.
    voice.setAudioPlayer(new PcmSink());
    voice.allocate();
    // Without its queue the voice speaks in the calling thread. With the queue, an error in the
    // queue's thread would block the caller for ever.
    OutputQueue queue = voice.getOutputQueue();
    voice.setOutputQueue(null);
    queue.close();
    return voice;
  }

  /** Whether FreeTTS can speak the character; unspoken signs count as English and are dropped. */
  private static boolean isEnglish(int codePoint) {
    return codePoint < 128
        || !Script.isSpoken(codePoint)
        || plain(Character.toString(codePoint)).codePoints().noneMatch(FreeTtsEngine::isForeign);
  }

  private static boolean isForeign(int codePoint) {
    return codePoint >= 128 && Script.isSpoken(codePoint);
  }

  /** The text in letters that FreeTTS supports: "naïve" as "naive", "it’s" as "it's". */
  private static String plain(String text) {
    return Normalizer.normalize(text, Normalizer.Form.NFKD)
        .replaceAll("\\p{M}", "")
        .replaceAll("[‘’‛′]", "'")
        .replaceAll("[“”„‟″«»]", "\"")
        .replaceAll("[–—―]", " - ")
        .replace("Æ", "Ae")
        .replace("æ", "ae")
        .replace("Œ", "Oe")
        .replace("œ", "oe")
        .replace("Ø", "O")
        .replace("ø", "o")
        .replace("Ł", "L")
        .replace("ł", "l")
        .replace("ß", "ss")
        .replaceAll("[^\\p{IsAlphabetic}\\p{IsDigit}\\p{Print}]", " ");
  }

  private static byte[] littleEndian(byte[] bigEndian) {
    byte[] pcm = new byte[bigEndian.length];
    for (int i = 0; i < pcm.length; i += 2) {
      pcm[i] = bigEndian[i + 1];
      pcm[i + 1] = bigEndian[i];
    }
    return pcm;
  }

  /** Never waits, because the calling thread does all the work. */
  private static final class Words extends FreeTTSSpeakableImpl {

    Words(String text) {
      super(text);
    }

    @Override
    public synchronized boolean waitCompleted() {
      return isCompleted() && super.waitCompleted();
    }
  }
}
