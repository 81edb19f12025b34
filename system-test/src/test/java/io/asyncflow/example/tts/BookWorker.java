package io.asyncflow.example.tts;

import io.asyncflow.worker.Slot;
import io.asyncflow.worker.Worker;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.sound.sampled.AudioFormat;
import org.springframework.util.unit.DataSize;

/**
 * A process with the stages of the example's {@code tts} and without Spring, which would be most of
 * what a process that is killed again and again does. Its arguments are a URL, a directory for
 * reports, and which engine speaks: {@code tone} or {@code freetts}.
 */
public final class BookWorker {

  /** What it prints when it polls. */
  public static final String READY = "book worker is ready";

  /** The silence between two paragraphs, in frames of 1/16,000 s. */
  public static final int PAUSE_FRAMES = 160;

  private static final int SLOTS = 2;
  private static final int FRAMES_PER_CHARACTER = 3;

  private BookWorker() {}

  public static void main(String[] arguments) {
    SpeechEngine engine = arguments[2].equals("tone") ? new Tones() : new FreeTtsEngine();
    TtsSettings settings = new TtsSettings(DataSize.ofMegabytes(16), 400, Duration.ofMillis(10));
    Worker.builder()
        .url(arguments[0])
        .spoolDir(Path.of(arguments[1]))
        .slots("cpu", SLOTS)
        .handlers(new SplitStage(settings, engine))
        .handlers(new SynthesizeStage(engine))
        .handlers(new MergeStage(settings, engine, new Mp3Encoder("no-such-program")))
        .stopsWithTheJvm(true)
        .build()
        .start();
    System.out.println(READY);
    awaitEndOfParent();
  }

  /** How long the tone of a text is. */
  public static int framesOf(String text) {
    return FRAMES_PER_CHARACTER * text.length();
  }

  /** Speaks "17 …" as a sound whose every sample is 17: what is heard tells which text it was. */
  private static final class Tones implements SpeechEngine {

    @Override
    public AudioFormat format() {
      return new AudioFormat(16_000, 16, 1, true, false);
    }

    @Override
    public Optional<String> objectionTo(String text) {
      return Optional.empty();
    }

    @Override
    public byte[] speak(String text, Slot slot) {
      short mark = Short.parseShort(text.split(" ", 2)[0]);
      ByteBuffer pcm = ByteBuffer.allocate(2 * framesOf(text)).order(ByteOrder.LITTLE_ENDIAN);
      while (pcm.hasRemaining()) {
        pcm.putShort(mark);
      }
      return pcm.array();
    }
  }

  /** The parent holds the other end of standard input; however it ends, the system closes that. */
  private static void awaitEndOfParent() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      System.out.println("standard input failed, which is an end of it too: " + e);
    }
    System.exit(0);
  }
}
