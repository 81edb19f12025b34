package io.asyncflow.flowsvr.task.number;

/**
 * What a server tells the others about itself, in the row that keeps its number. Unless it says
 * otherwise, it makes no fires of schedules. Thread-safe.
 */
public interface ServerLoad {

  /** The load of a server that makes no fires. */
  ServerLoad NONE = new ServerLoad() {};

  /** Its share of the schedules' load, beside the weights of the others; 0 for none. */
  default int weight() {
    return 0;
  }

  /** Per cent of the last minute that it spent making fires. */
  default int busy() {
    return 0;
  }
}
