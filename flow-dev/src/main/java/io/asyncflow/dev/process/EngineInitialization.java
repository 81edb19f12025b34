package io.asyncflow.dev.process;

import io.asyncflow.dev.EngineException;
import io.asyncflow.dev.host.OwnerOnly;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A run of a database program that makes the system tables and ends. */
public final class EngineInitialization {
  /** Writes the SQL that the program reads from its standard input. */
  public interface Input {
    void writeTo(OutputStream sql) throws IOException;
  }

  private EngineInitialization() {}

  /**
   * Runs the program to its end.
   *
   * @throws EngineException in one sentence if it fails
   */
  public static void run(
      String engine, List<String> command, Map<String, String> environment, Path log, Input input) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    Process process;
    try {
      OwnerOnly.emptyFile(log);
      process = builder.start();
    } catch (IOException e) {
      throw new EngineException(engine + " cannot be started: " + e.getMessage() + ".", e);
    }
    IOException brokenPipe = null;
    try (OutputStream sql = process.getOutputStream()) {
      input.writeTo(sql);
    } catch (IOException e) {
      // The program ended early: its exit code and log say why, the pipe only that it did.
      brokenPipe = e;
    }
    int exitCode = exitCode(engine, process);
    if (exitCode != 0) {
      throw new EngineException(new EngineLog(engine, log).explain(exitCode), brokenPipe);
    }
    if (brokenPipe != null) {
      throw new EngineException(
          engine + " did not read its system tables: " + brokenPipe.getMessage() + ".", brokenPipe);
    }
  }

  private static int exitCode(String engine, Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new EngineException("The start of " + engine + " was interrupted.", e);
    }
  }
}
