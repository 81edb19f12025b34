package io.asyncflow.dev.process;

/** What becomes of a child whose JVM died without stopping it. */
public enum ParentDeath {
  /** It is asked to shut down in order, and its directory stays. */
  STOPS_CHILD("[ -z \"$pid\" ] || kill -TERM \"$pid\""),

  /** It is killed and its directory deleted: nobody wants the data of a test any more. */
  DISCARDS_CHILD(
      """
      [ -z "$pid" ] || kill -KILL "$pid"
      n=0
      while [ -e "/proc/$pid/exe" ] && [ $n -lt 100 ]; do sleep 0.05; n=$((n + 1)); done
      rm -rf -- "$2"
      rmdir -- "${2%/*}"
      """);

  /** A JVM that dies while it launches a child leaves a process that is about to say its id. */
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
   * The shell script that waits for the end of its input, which comes with the JVM's death however
   * it dies. Its arguments are the file with the child's process id in its first line, which is
   * written by this launch alone, and the child's directory.
   */
  String script() {
    return AWAIT_DEATH + script;
  }
}
