package io.asyncflow.dev.process;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.OwnerOnly;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Runs a program to its end. */
public final class ProgramRun {
  /** Writes the program's standard input. */
  public interface Input {
    void writeTo(OutputStream stdin) throws IOException;
  }

  private ProgramRun() {}

  /**
   * Runs the program to its end.
   *
   * @throws DevException in one sentence if it fails
   */
  public static void run(
      String program,
      List<String> command,
      Map<String, String> environment,
      Path log,
      Input input) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    Process process;
    try {
      OwnerOnly.emptyFile(log);
      process = builder.start();
    } catch (IOException e) {
      throw new DevException(program + " cannot be started: " + e.getMessage() + ".", e);
    }
    IOException brokenPipe = null;
    try (OutputStream stdin = process.getOutputStream()) {
      input.writeTo(stdin);
    } catch (IOException e) {
      // The program ended early: its exit code and log contain the reason, the broken pipe does
      // not.
      brokenPipe = e;
    }
    int exitCode = exitCode(program, process);
    if (exitCode != 0) {
      throw new DevException(new ProcessLog(program, log).explain(exitCode), brokenPipe);
    }
    if (brokenPipe != null) {
      throw new DevException(
          program + " did not read its input: " + brokenPipe.getMessage() + ".", brokenPipe);
    }
  }

  private static int exitCode(String program, Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new DevException("The start of " + program + " was interrupted.", e);
    }
  }
}
