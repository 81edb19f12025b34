package io.asyncflow.systemtest.chaos;

import static org.awaitility.Awaitility.await;

import io.asyncflow.systemtest.chaos.Disaster.Blow;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One node of a user's own database, which a shell command of the user's kills and brings back. For
 * one thread, which another may follow.
 */
final class NodeKill implements Victim {

  private static final String SUCCESS = "exit status 0";
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration RECOVERY = Duration.ofMinutes(3);

  private final String command;
  private final Path log;
  private final Collection<String> sufferers;
  private final Callable<Boolean> takesWrites;
  private final Consumer<String> narrator;
  private int failures;

  /**
   * @param command for {@code /bin/sh}
   * @param log of its last run
   * @param takesWrites whether the database does
   * @param narrator told how each run ends, with its output
   */
  NodeKill(
      String command,
      Path log,
      Collection<String> sufferers,
      Callable<Boolean> takesWrites,
      Consumer<String> narrator) {
    this.command = command;
    this.log = log;
    this.sufferers = sufferers;
    this.takesWrites = takesWrites;
    this.narrator = narrator;
  }

  @Override
  public String name() {
    return "--kill-node";
  }

  @Override
  public Collection<String> sufferers() {
    return sufferers;
  }

  @Override
  public int failures() {
    return failures;
  }

  /** Returns when the command has ended; a failure is told and counted. */
  @Override
  public void strike(Blow blow) {
    long start = System.nanoTime();
    String end = run();
    failures += end.equals(SUCCESS) ? 0 : 1;
    narrator.accept(
        String.format(
            Locale.ROOT,
            "--kill-node %s after %.1f s: %s",
            end.equals(SUCCESS) ? end : "FAILED, " + end,
            (System.nanoTime() - start) / 1e9,
            output()));
  }

  private String run() {
    try {
      Process process =
          new ProcessBuilder("/bin/sh", "-c", command)
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              // Not a pipe, which a server that the command starts would hold open for ever.
              .redirectOutput(log.toFile())
              .start();
      if (process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        return "exit status " + process.exitValue();
      }
      process.destroyForcibly();
      return "without an end";
    } catch (IOException e) {
      return e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  private String output() {
    try {
      return new String(Files.readAllBytes(log), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Returns when the database takes writes again. */
  @Override
  public void heal(Blow blow) {
    await("the database takes writes after --kill-node").atMost(RECOVERY).until(takesWrites);
  }
}
