package io.asyncflow.systemtest.cluster;

import java.time.Duration;
import java.util.function.Supplier;

/** A process of a cluster that can be hurt and started again. Thread-safe. */
public abstract class Node {

  private final Supplier<NodeProcess> starting;
  private NodeProcess process;

  Node(Supplier<NodeProcess> starting) {
    this.starting = starting;
    this.process = starting.get();
  }

  synchronized NodeProcess process() {
    return process;
  }

  public String name() {
    return process().name();
  }

  public long pid() {
    return process().pid();
  }

  public boolean isAlive() {
    return process().isAlive();
  }

  /** Whether its output has this text, that of its earlier starts included. */
  public boolean hasPrinted(String text) {
    return process().hasPrinted(text);
  }

  /** SIGKILL; returns when it is gone. */
  public void kill() {
    process().kill();
  }

  /** SIGSTOP: it lives, and does nothing. */
  public void pause() {
    process().pause();
  }

  /** SIGCONT. */
  public void resume() {
    process().resume();
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
    if (process.isAlive()) {
      throw new IllegalStateException(name() + " is running");
    }
    process = starting.get();
  }

  /** Returns when it is ready. */
  public abstract void awaitReady();
}
