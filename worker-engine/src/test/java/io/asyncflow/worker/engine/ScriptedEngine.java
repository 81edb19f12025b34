package io.asyncflow.worker.engine;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** An engine as a shell script, which does what the context of its task says. */
final class ScriptedEngine {

  private final Path script;
  private final Path hangFile;

  ScriptedEngine(Path directory) {
    script = directory.resolve("scripted.sh");
    hangFile = directory.resolve("hangs");
    try (InputStream in = ScriptedEngine.class.getResourceAsStream("/engine/scripted.sh")) {
      Files.copy(in, script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  EngineHandler.Builder builder(String... arguments) {
    String[] command = new String[arguments.length + 2];
    command[0] = "sh";
    command[1] = script.toString();
    System.arraycopy(arguments, 0, command, 2, arguments.length);
    return EngineHandler.builder(command)
        .name("scripted")
        .startTimeout(Duration.ofSeconds(30))
        .environment("HANG_FILE", hangFile.toString());
  }

  /** The child of the engine that hangs, once it does. */
  ProcessHandle awaitHanging() throws IOException {
    await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(hangFile));
    return ProcessHandle.of(Long.parseLong(Files.readString(hangFile))).orElseThrow();
  }

  /** Whether it runs no more; its parent may not have noticed yet. */
  static boolean hasEnded(ProcessHandle process) throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "stat");
    return !process.isAlive()
        || Files.isReadable(status) && Files.readString(status).contains(") Z ");
  }
}
