package io.asyncflow.dev.embedded;

import io.asyncflow.dev.process.OtherJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Another JVM that owns an embedded server, for tests that kill it. */
final class ServerOwner implements AutoCloseable {
  private final Process jvm;
  private final long serverPid;
  private final List<ProcessHandle> watchers;

  private ServerOwner(Process jvm, long serverPid, List<ProcessHandle> watchers) {
    this.jvm = jvm;
    this.serverPid = serverPid;
    this.watchers = watchers;
  }

  /** Starts a JVM that starts the server and waits until it runs. */
  static ServerOwner of(String server, Path directory) throws IOException {
    Process jvm =
        OtherJvm.of(ServerOwner.class, server, directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String pid =
        new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
    if (pid == null) {
      throw new IOException("the other JVM could not start the server");
    }
    List<ProcessHandle> watchers =
        jvm.children().filter(child -> child.pid() != Long.parseLong(pid)).toList();
    return new ServerOwner(jvm, Long.parseLong(pid), watchers);
  }

  /** What the other JVM runs. */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[1]);
    long pid =
        switch (arguments[0]) {
          case "mariadb" -> EmbeddedMariaDb.start(directory, 0, Durability.RELAXED).pid();
          case "redis" -> EmbeddedRedis.start(directory, 0).pid();
          default -> throw new IllegalArgumentException(arguments[0]);
        };
    System.out.println(pid);
    while (System.in.read() >= 0) {
      // until the parent closes the pipe
    }
  }

  ProcessHandle server() {
    return ProcessHandle.of(serverPid).orElseThrow();
  }

  /** kill -9 for the JVM and for the shells that watch over its server: nobody stops the server. */
  void killWithItsWatchers() {
    watchers.forEach(ProcessHandle::destroyForcibly);
    watchers.forEach(watcher -> watcher.onExit().join());
    kill();
  }

  /** kill -9 for the JVM alone. */
  void kill() {
    jvm.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    try {
      jvm.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    kill();
    ProcessHandle.of(serverPid).ifPresent(ProcessHandle::destroyForcibly);
    Stream.of(watchers).flatMap(List::stream).forEach(ProcessHandle::destroyForcibly);
  }
}
