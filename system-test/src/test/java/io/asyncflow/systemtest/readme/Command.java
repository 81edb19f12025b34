package io.asyncflow.systemtest.readme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Commands that end by themselves, and what they print. */
final class Command {

  private Command() {}

  /**
   * @param output what it printed, errors among it
   */
  record Done(int exitCode, String output) {}

  /** Runs a program in the checkout; one that takes too long is killed. */
  static Done run(List<String> command, Map<String, String> environment, int seconds) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.directory(Document.home().toFile());
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      Thread deadline = killAfter(process, seconds);
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      Done done = new Done(process.waitFor(), withoutTheJvms(output).strip());
      deadline.interrupt();
      return done;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + command + " ran", e);
    }
  }

  /** A JVM says so on a machine where the variable is set, and that is no line of ours. */
  private static String withoutTheJvms(String output) {
    return output.replaceAll("Picked up JAVA_TOOL_OPTIONS[^\\n]*\\n", "");
  }

  private static Thread killAfter(Process process, int seconds) {
    Thread thread =
        new Thread(
            () -> {
              try {
                if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                  process.descendants().forEach(ProcessHandle::destroyForcibly);
                  process.destroyForcibly();
                }
              } catch (InterruptedException e) {
                // it has ended
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** The Java that runs this JVM, with options for short lives. */
  static List<String> java(String classPath, List<String> properties, List<String> arguments) {
    String program = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> fast = List.of(program, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m");
    return Stream.of(fast, properties, List.of("-cp", classPath), arguments)
        .flatMap(List::stream)
        .toList();
  }
}
