package io.asyncflow.systemtest.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One process of a cluster, and what can be done to it.
 *
 * <p>It reads its standard input from this JVM, so it can tell when this JVM is gone. A shell
 * watches for the same and kills it ten seconds later, for a process that is stopped or stuck can
 * tell nothing. Thread-safe.
 */
final class NodeProcess {

  private static final String WATCH =
      """
      trap '' INT TERM HUP
      while read -r _; do :; done
      sleep 10
      kill -KILL "$1"
      """;

  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);

  private final String name;
  private final Path log;
  private final Process process;
  private final Process watcher;

  private NodeProcess(String name, Path log, Process process, Process watcher) {
    this.name = name;
    this.log = log;
    this.process = process;
    this.watcher = watcher;
  }

  /**
   * Starts a program; it is not ready yet.
   *
   * @param log where its output goes, after what an earlier one has left there
   * @param environment variables to add; an empty value removes one
   */
  static NodeProcess start(
      String name, List<String> command, Map<String, String> environment, Path log) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    environment.forEach(
        (variable, value) -> {
          if (value.isEmpty()) {
            builder.environment().remove(variable);
          } else {
            builder.environment().put(variable, value);
          }
        });
    try {
      Files.createDirectories(log.getParent());
      Process process = builder.start();
      Process watcher =
          new ProcessBuilder("/bin/sh", "-c", WATCH, "watch", Long.toString(process.pid()))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      return new NodeProcess(name, log, process, watcher);
    } catch (IOException e) {
      throw new UncheckedIOException(name + " cannot be started", e);
    }
  }

  String name() {
    return name;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /**
   * @throws IllegalStateException with the end of its log if it is dead
   */
  void requireAlive() {
    if (!isAlive()) {
      throw new IllegalStateException(
          name
              + " ended with "
              + process.exitValue()
              + "; its log "
              + log
              + " ends with\n"
              + tail());
    }
  }

  private String tail() {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
    } catch (IOException e) {
      return e.toString();
    }
  }

  boolean hasPrinted(String text) {
    try {
      return Files.readString(log).contains(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** SIGKILL; returns when it is gone. */
  void kill() {
    awaitGone(process.destroyForcibly());
    end();
  }

  /** SIGSTOP: it lives, and does nothing. */
  void pause() {
    Signals.stop(pid());
  }

  /** SIGCONT. */
  void resume() {
    Signals.resume(pid());
  }

  /** SIGTERM; returns at once. */
  void terminate() {
    process.destroy();
  }

  /** Waits for its end; {@code false} if it does not come in time. */
  boolean awaitEnd(Duration patience) {
    try {
      boolean ended = process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
      if (ended) {
        end();
      }
      return ended;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + name, e);
    }
  }

  /**
   * How it ended.
   *
   * @throws IllegalThreadStateException if it has not
   */
  int exitCode() {
    return process.exitValue();
  }

  /** SIGTERM, and SIGKILL if it does not end; also when it is paused. */
  void stop() {
    if (isAlive()) {
      terminate();
      resume();
      if (!awaitEnd(STOP_PATIENCE)) {
        kill();
      }
    }
    end();
  }

  // The watcher is killed, not told by the end of its input: the process id may be another's soon.
  private void end() {
    awaitGone(watcher.destroyForcibly());
  }

  // Not by onExit(), which completes on the common pool: its few threads may all wait for this.
  private static void awaitGone(Process killed) {
    try {
      killed.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a killed process ended", e);
    }
  }
}
