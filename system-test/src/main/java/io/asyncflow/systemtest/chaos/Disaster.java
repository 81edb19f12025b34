package io.asyncflow.systemtest.chaos;

/** What can happen to a cluster: to whom, and how. */
public enum Disaster {
  WORKER_KILLED(Target.WORKER, Blow.KILL),
  WORKER_STOPPED(Target.WORKER, Blow.STOP),
  WORKER_TERMINATED(Target.WORKER, Blow.TERMINATE),
  SERVER_KILLED(Target.SERVER, Blow.KILL),
  SERVER_STOPPED(Target.SERVER, Blow.STOP),
  SERVER_TERMINATED(Target.SERVER, Blow.TERMINATE),
  REDIS_KILLED(Target.REDIS, Blow.KILL),
  REDIS_STOPPED(Target.REDIS, Blow.STOP),
  REDIS_TERMINATED(Target.REDIS, Blow.TERMINATE),
  DATABASE_KILLED(Target.DATABASE, Blow.KILL),
  DATABASE_STOPPED(Target.DATABASE, Blow.STOP),
  DATABASE_TERMINATED(Target.DATABASE, Blow.TERMINATE),
  NODE_KILLED(Target.NODE, Blow.RUN),
  SETTINGS_CHANGED(Target.SETTINGS, Blow.CHANGE);

  enum Target {
    WORKER,
    SERVER,
    REDIS,
    DATABASE,
    NODE,
    SETTINGS
  }

  enum Blow {
    /** SIGKILL, and started again. */
    KILL,
    /** SIGTERM, and started again after its end. */
    TERMINATE,
    /** SIGSTOP, and SIGCONT. */
    STOP,
    /** A command of the user's, which also brings back what it kills. */
    RUN,
    /** Other settings of the types, and the old ones again. */
    CHANGE
  }

  private final Target target;
  private final Blow blow;

  Disaster(Target target, Blow blow) {
    this.target = target;
    this.blow = blow;
  }

  Target target() {
    return target;
  }

  Blow blow() {
    return blow;
  }
}
