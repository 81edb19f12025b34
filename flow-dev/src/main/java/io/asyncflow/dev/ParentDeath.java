package io.asyncflow.dev;

/** What becomes of an engine whose JVM died without stopping it. */
enum ParentDeath {
  /** It is asked to shut down in order, and its directory stays. */
  STOPS_ENGINE("while read -r _; do :; done; kill -TERM \"$1\""),

  /** It is killed and its directory deleted: nobody wants the data of a test any more. */
  DISCARDS_ENGINE(
      """
      while read -r _; do :; done
      kill -KILL "$1"
      n=0
      while [ -e "/proc/$1/exe" ] && [ $n -lt 100 ]; do sleep 0.05; n=$((n + 1)); done
      rm -rf -- "$2"
      rmdir -- "${2%/*}"
      """);

  private final String script;

  ParentDeath(String script) {
    this.script = script;
  }

  /**
   * The shell script that waits for the end of its input, which comes with the JVM's death however
   * it dies. Its arguments are the engine's process id and directory.
   */
  String script() {
    return script;
  }
}
