package io.asyncflow.example.tts;

import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The files of one task, in a directory of its own, as seen by one of its runs. */
final class TaskFiles {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,200}");
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Path outputDir;
  private final Path directory;
  private final String run;

  /**
   * @param outputDir where the task's client wants its speech
   */
  TaskFiles(Path outputDir, StageContext context) throws IOException {
    this.outputDir = outputDir;
    this.directory = Files.createDirectories(outputDir.resolve(safe(context.taskId())));
    this.run = safe(context.idempotencyKey());
  }

  /** The name that only this run writes under. */
  String nameOfRun() {
    return run;
  }

  /** Where this run puts the finished speech. */
  Path speech() {
    return outputDir.resolve(run + ".wav");
  }

  Path wav(String name) {
    return file(name, ".wav");
  }

  Path existingWav(String name) throws IOException {
    return existing(wav(name));
  }

  void write(Object content) throws IOException {
    byte[] json = JSON.writeValueAsBytes(content);
    AtomicFile.write(file(run, ".json"), out -> out.write(json));
  }

  <T> T read(String name, Class<T> type) throws IOException {
    Path file = existing(file(name, ".json"));
    try {
      return JSON.readValue(Files.readAllBytes(file), type);
    } catch (JacksonException e) {
      throw new IOException(file + " is not what this worker wrote.", e);
    }
  }

  /** Retried, as another worker may have it. */
  private static Path existing(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(
          file + " is missing; all workers of tts must see the same output directory.");
    }
    return file;
  }

  /** Names come from contexts, and contexts from clients: one that could lead elsewhere is none. */
  private Path file(String name, String extension) {
    if (name == null || !NAME.matcher(name).matches()) {
      throw new NonRetryableException("The context names a file that no run has written.");
    }
    return directory.resolve(name + extension);
  }

  private static String safe(String name) {
    return name.replaceAll("[^A-Za-z0-9_-]", "_");
  }
}
