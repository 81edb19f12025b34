package io.asyncflow.example.tts;

import io.asyncflow.worker.ChildPrograms;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Encodes MP3 files with ffmpeg, in one process for each file. The MP3 is optional: the WAV always
 * exists.
 */
@Component
class Mp3Encoder {

  private static final Logger log = LoggerFactory.getLogger(Mp3Encoder.class);

  private final String program;

  /**
   * @param program the program, resolved by the system's search path
   */
  Mp3Encoder(@Value("${example.tts.ffmpeg:ffmpeg}") String program) {
    this.program = program;
  }

  /**
   * Encodes a WAV as an MP3.
   *
   * @param limit the time limit, after which ffmpeg is killed
   * @return why there is no MP3, as a sentence; {@code null} if there is one
   */
  String encode(Path wav, Path mp3, Duration limit) throws InterruptedException {
    Process process;
    try {
      process =
          ChildPrograms.of(
                  program,
                  "-nostdin",
                  "-loglevel",
                  "error",
                  "-y",
                  "-i",
                  wav.toString(),
                  "-codec:a",
                  "libmp3lame",
                  "-qscale:a",
                  "4",
                  mp3.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      log.debug("{} cannot be started", program, e);
      return "ffmpeg is not installed where the speech was merged.";
    }
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        return "ffmpeg took too long.";
      }
      return process.exitValue() == 0 ? null : "ffmpeg ended with " + process.exitValue() + ".";
    } finally {
      process.destroyForcibly();
    }
  }
}
