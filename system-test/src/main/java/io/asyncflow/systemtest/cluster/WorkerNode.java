package io.asyncflow.systemtest.cluster;

/** A process of workers. */
public final class WorkerNode extends Node {

  private final String ready;

  /**
   * @param ready what it prints when it polls
   */
  WorkerNode(Program program, String ready) {
    super(program);
    this.ready = ready;
  }

  /** The id by which servers and histories know this start of it. */
  public String workerId() {
    return name() + "-" + pid();
  }

  @Override
  boolean isReady() {
    return hasPrinted(ready);
  }
}
