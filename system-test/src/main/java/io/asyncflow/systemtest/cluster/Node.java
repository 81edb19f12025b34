package io.asyncflow.systemtest.cluster;

import io.asyncflow.dev.process.ChildProcess;
import io.asyncflow.dev.process.ParentDeath;
import io.asyncflow.dev.process.ProcessLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A process of a cluster that can be hurt and started again.
 *
 * <p>It reads its standard input from this JVM, so it can tell when this JVM is gone. A shell
 * watches for the same and kills it ten seconds later, for a process that is stopped or stuck can
 * tell nothing. Thread-safe.
 */
public abstract class Node {

  private static final Duration START_PATIENCE = Duration.ofSeconds(90);

  private final Program program;
  private ChildProcess process;

  Node(Program program) {
    this.program = program;
    this.process = program.start();
  }

  /**
   * What it runs.
   *
   * @param log where its output goes, after that of its earlier starts
   * @param environment variables to add; an empty value removes one
   * @param directory where it works
   */
  record Program(
      ProcessLog log, List<String> command, Map<String, String> environment, Path directory) {

    private ChildProcess start() {
      return ChildProcess.launch(command, environment, directory, log, ParentDeath.KILLS_CHILD);
    }
  }

  private synchronized ChildProcess process() {
    return process;
  }

  public String name() {
    return program.log().program();
  }

  public long pid() {
    return process().pid();
  }

  public boolean isAlive() {
    return process().isRunning();
  }

  /** Whether its output has this text, that of its earlier starts included. */
  public boolean hasPrinted(String text) {
    return program.log().contains(text);
  }

  /** SIGKILL; returns when it is gone. */
  public void kill() {
    process().kill();
  }

  /** SIGSTOP: it lives, and does nothing. */
  public void pause() {
    Signals.stop(pid());
  }

  /** SIGCONT. */
  public void resume() {
    Signals.resume(pid());
  }

  /** SIGTERM; returns at once. */
  public void terminate() {
    process().terminate();
  }

  /** Waits for its end; {@code false} if it does not come in time. */
  public boolean awaitEnd(Duration patience) {
    return process().awaitEnd(patience);
  }

  /**
   * How it ended.
   *
   * @throws IllegalThreadStateException if it has not
   */
  public int exitCode() {
    return process().exitCode();
  }

  /** Starts it again as it was, after its end; it is not ready yet. */
  public synchronized void start() {
    if (!process.awaitEnd(Duration.ZERO)) { // if it has ended, its watcher ends, too
      throw new IllegalStateException(name() + " is running");
    }
    process = program.start();
  }

  /** Whether it does its work. */
  abstract boolean isReady();

  /** Returns when it is ready. */
  public void awaitReady() {
    process().awaitReady(this::isReady, START_PATIENCE);
  }
}
