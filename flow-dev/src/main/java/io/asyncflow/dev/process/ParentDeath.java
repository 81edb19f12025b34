package io.asyncflow.dev.process;

/** The action on a child whose JVM died without stopping it. */
public enum ParentDeath {
  /** Stops the child with SIGTERM and keeps its directory. */
  STOPS_CHILD("[ -z \"$pid\" ] || kill -TERM \"$pid\""),

  /**
   * Kills the child after ten seconds, in which it may notice the death by the end of its own
   * input: one that is paused or stuck cannot.
   */
  KILLS_CHILD("sleep 10\n[ -z \"$pid\" ] || kill -KILL \"$pid\""),

  /** Kills the child and deletes its directory, for tests. */
  DISCARDS_CHILD(
      """
      [ -z "$pid" ] || kill -KILL "$pid"
      n=0
      while [ -e "/proc/$pid/exe" ] && [ $n -lt 100 ]; do sleep 0.05; n=$((n + 1)); done
      rm -rf -- "$2"
      rmdir -- "${2%/*}"
      """);

  /**
   * Waits for the end of the input, then for the pid file: a JVM that dies during a launch leaves a
   * process that will write it shortly.
   */
  private static final String AWAIT_DEATH =
      """
      while read -r _; do :; done
      pid=
      n=0
      while [ ! -s "$1" ] && [ $n -lt 40 ]; do sleep 0.05; n=$((n + 1)); done
      read -r pid < "$1"
      """;

  private final String script;

  ParentDeath(String script) {
    this.script = script;
  }

  /**
   * The shell script that waits for the end of its input, which follows the JVM's death of any
   * kind. Its arguments are the pid file of this launch, with the child's process id in the first
   * line, and the child's directory.
   */
  String script() {
    return AWAIT_DEATH + script;
  }
}
