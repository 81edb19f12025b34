package io.asyncflow.worker.engine;

import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.testing.StageHarness;

/**
 * A worker as a process of its own, with secrets in its environment, and an engine that looks for
 * them. Prints what the engine finds: its environment and that of its parent process, in Base64.
 */
final class SpyingWorker {

  private static final String ENGINE =
      """
      read -r hello
      echo '{"type":"ready","protocol":1,"engine":"spy"}'
      read -r run
      id=${run#*'"id":"'}
      id=${id%%'"'*}
      own=$(env | base64 -w 0)
      parent=$(cat /proc/$PPID/environ 2>/dev/null | base64 -w 0)
      file=$(cat "$KEY_FILE" 2>/dev/null | base64 -w 0)
      echo "{\\"type\\":\\"result\\",\\"id\\":\\"$id\\",\\"result\\":\\"$own,$parent,$file,$(id -u)\\"}"
      read -r end
      """;

  private SpyingWorker() {}

  /**
   * @param arguments the file with the worker's key, and {@code none}, {@code sandbox} or {@code
   *     user}
   */
  public static void main(String[] arguments) throws Exception {
    EngineHandler.Builder builder =
        EngineHandler.builder("sh", "-c", ENGINE).environment("KEY_FILE", arguments[0]);
    switch (arguments[1]) {
      case "sandbox" -> builder.isolated(Isolation.sandbox().withOpenFiles(100));
      case "user" -> builder.isolated(Isolation.asUser("nobody", "nogroup").withOpenFiles(100));
      default -> {}
    }
    try (EngineHandler engine = builder.build()) {
      StageResult result = StageHarness.run("spy").onSlot("cpu").with(engine);
      System.out.println("found " + ((StageResult.Done) result).result());
    }
  }
}
