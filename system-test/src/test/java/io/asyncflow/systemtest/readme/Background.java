package io.asyncflow.systemtest.readme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * A program that runs until it is closed, as what a reader starts in another terminal.
 *
 * <p>A shell holds it and listens to this JVM: at the end of its input, be it a {@link #close} or
 * the death of this JVM, it ends the program as Ctrl-C would.
 */
final class Background implements AutoCloseable {

  private static final String UNTIL_END_OF_INPUT =
      """
      "$@" &
      while read -r _; do :; done
      kill -TERM $! 2>/dev/null
      wait $!
      """;

  private static final Duration START_PATIENCE = Duration.ofSeconds(150);
  private static final int STOP_SECONDS = 60;

  private final Path log;
  private final Process shell;

  private Background(Path log, Process shell) {
    this.log = log;
    this.shell = shell;
  }

  /** Starts a program whose output goes to a file. */
  static Background start(Path log, List<String> command) {
    return start(log, command, Map.of());
  }

  /** The same with variables of its own. */
  static Background start(Path log, List<String> command, Map<String, String> environment) {
    List<String> held = new ArrayList<>(List.of("/bin/sh", "-c", UNTIL_END_OF_INPUT, "sh"));
    held.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(held).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("FLOW_"));
    builder.environment().putAll(environment);
    try {
      return new Background(log, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns when it has printed this. */
  void awaitPrinted(String text) {
    Awaitility.await(text)
        .atMost(START_PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              assertThat(printed()).as(log.toString()).doesNotContain("asyncflow: ");
              return printed().contains(text);
            });
  }

  String printed() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      shell.getOutputStream().close();
      if (!shell.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        shell.descendants().forEach(ProcessHandle::destroyForcibly);
        shell.destroyForcibly();
        throw new AssertionError("it does not end when it is told to; its log is " + log);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
