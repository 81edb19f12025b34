package io.asyncflow.worker.engine;

import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.testing.StageHarness;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A worker as a process of its own, with secrets in its environment and its files, and an engine
 * that looks for them. While the engine is running, the worker's key is replaced and its spool is
 * made. Prints what the engine finds, in Base64: its environment, that of its parent process, the
 * content of the files, and the names of those where programs have their sockets.
 */
final class SpyingWorker {

  private static final String ENGINE =
      """
      read -r hello
      echo '{"type":"ready","protocol":1,"engine":"spy"}'
      while read -r run; do
        id=${run#*'"id":"'}
        id=${id%%'"'*}
        own=$(env | base64 -w 0)
        parent=$(cat /proc/$PPID/environ 2>/dev/null | base64 -w 0)
        files=$(cat "$KEY_FILE" "$SPOOLED" 2>/dev/null | base64 -w 0)
        sockets=$(ls -A /run /tmp 2>/dev/null | grep -v : | base64 -w 0)
        echo "{\\"type\\":\\"result\\",\\"id\\":\\"$id\\",\\"result\\":\\"$own,$parent,$files,$sockets,$(id -u)\\"}"
      done
      """;

  private SpyingWorker() {}

  /**
   * @param arguments the file with the worker's key, a file in its spool, and {@code none}, {@code
   *     sandbox} or {@code user}
   */
  public static void main(String[] arguments) throws Exception {
    Path key = Path.of(arguments[0]);
    Path spooled = Path.of(arguments[1]);
    EngineHandler.Builder builder =
        EngineHandler.builder("sh", "-c", ENGINE)
            .environment("KEY_FILE", key.toString())
            .environment("SPOOLED", spooled.toString());
    switch (arguments[2]) {
      case "sandbox" -> builder.isolated(Isolation.sandbox().withOpenFiles(100));
      case "user" -> builder.isolated(Isolation.asUser("nobody", "nogroup").withOpenFiles(100));
      default -> {}
    }
    try (EngineHandler engine = builder.build()) {
      StageHarness.run("spy").onSlot("cpu").with(engine);
      Path next = key.resolveSibling("next");
      Files.copy(key, next, StandardCopyOption.COPY_ATTRIBUTES);
      Files.move(next, key, StandardCopyOption.ATOMIC_MOVE);
      Files.createDirectories(spooled.getParent());
      Files.copy(key, spooled, StandardCopyOption.COPY_ATTRIBUTES);
      StageResult result = StageHarness.run("spy").onSlot("cpu").with(engine);
      System.out.println("found " + ((StageResult.Done) result).result());
    }
  }
}
