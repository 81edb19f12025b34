package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.host.OwnerOnly;
import io.asyncflow.dev.process.ParentDeath;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * An embedded Redis server, without persistence: its data is lost when it stops.
 *
 * <p>Other users of the machine reach its port, so it has a random password in the file {@code
 * secrets} in its directory. Redis reads it from the file, because all users can see a program's
 * arguments.
 */
public final class EmbeddedRedis extends EmbeddedServer {
  private static final String VERSION = "7.0.15";

  private final Path program = unpackedProgram();
  private final String password = OwnerOnly.newPassword();

  private EmbeddedRedis(Path directory, ParentDeath parentDeath) {
    super(
        "Redis " + VERSION + " (embedded)",
        directory,
        parentDeath,
        Map.of(),
        Duration.ofSeconds(20));
  }

  /**
   * Starts a server.
   *
   * @param directory the directory of its log and lock; created if it does not exist
   * @param port the TCP port on 127.0.0.1; 0 takes a free one
   * @return the running server, ready for connections
   * @throws DevException in one sentence: port taken, directory in use
   */
  public static EmbeddedRedis start(Path directory, int port) {
    return start(new EmbeddedRedis(directory, ParentDeath.STOPS_CHILD), port);
  }

  /** Starts a server on a free port that leaves nothing behind when this JVM ends. */
  public static EmbeddedRedis startDisposable(Path directory) {
    return start(new EmbeddedRedis(directory, ParentDeath.DISCARDS_CHILD), 0);
  }

  private static Path unpackedProgram() {
    NativeBinaries.requireLinux("Redis", "amd64", "arm64");
    String file = "redis-server-" + VERSION + "-linux-" + NativeBinaries.architecture();
    return NativeBinaries.unpackOnce("redis-" + VERSION, "", file, file::equals).resolve(file);
  }

  @Override
  void prepare() {
    OwnerOnly.write(secrets(), "requirepass " + password + "\n");
  }

  @Override
  List<String> command(int listenPort) {
    return List.of(
        program.toString(),
        secrets().toString(),
        "--port",
        Integer.toString(listenPort),
        "--bind",
        LoopbackPort.HOST,
        "--dir",
        directory().toString(),
        "--save",
        "",
        "--appendonly",
        "no",
        // Keeps the directory visible in the arguments, by which an orphan is recognized.
        "--set-proc-title",
        "no");
  }

  @Override
  boolean isReady() {
    return LoopbackPort.answersPing(port(), password);
  }

  /**
   * Its address and password, as {@code redis://:password@127.0.0.1:port}; unchanged by a restart.
   */
  public String url() {
    return urlVia(port());
  }

  /** The same for clients that connect through another port on 127.0.0.1. */
  public String urlVia(int otherPort) {
    return "redis://:" + password + "@" + LoopbackPort.HOST + ":" + otherPort;
  }

  /** The password, never empty. */
  public String password() {
    return password;
  }
}
