package io.asyncflow.bench.bed;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A flowsvr of its own process, from its real jar, with the JVM options of a server. */
public final class ServerProcess implements AutoCloseable {

  /** A fixed heap and the full JIT: what a server runs with. */
  public static final List<String> JVM_OPTIONS = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");

  private static final Duration START_PATIENCE = Duration.ofMinutes(5);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);
  private static final String HOST = "127.0.0.1";

  // One for all probes: each client has a thread that lives until the collector finds the client.
  private final HttpClient http = HttpClient.newHttpClient();
  private final Process process;
  private final URI url;
  private final Path log;

  private ServerProcess(Process process, URI url, Path log) {
    this.process = process;
    this.url = url;
    this.log = log;
  }

  /** Starts it, without Redis, and returns when it is ready. */
  static ServerProcess start(
      Path jar, List<String> moreJvmOptions, DatabaseEndpoint database, String schema, Path log)
      throws IOException, InterruptedException {
    int port = freePort();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_OPTIONS);
    command.addAll(moreJvmOptions);
    command.add("-jar");
    command.add(jar.toString());
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(variable -> variable.startsWith("FLOW_"));
    builder.environment().put("FLOW_PORT", Integer.toString(port));
    builder.environment().put("FLOW_ADDRESS", HOST);
    builder.environment().put("FLOW_MYSQL_URL", database.jdbcUrl(schema));
    builder.environment().put("FLOW_MYSQL_USER", database.user());
    builder.environment().put("FLOW_MYSQL_PASSWORD", database.password());
    // On a busy machine the first connection may take longer than the pool's patience.
    builder.environment().put("SPRING_FLYWAY_CONNECTRETRIES", "5");
    // Its input is a pipe from here: it ends when this JVM does, however that happens.
    builder.environment().put("FLOW_EXIT_WITH_PARENT", "true");
    ServerProcess server =
        new ServerProcess(builder.start(), URI.create("http://" + HOST + ":" + port), log);
    try {
      server.awaitReady();
      return server;
    } catch (IOException | InterruptedException | RuntimeException e) {
      server.process.destroyForcibly();
      throw e;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
      return socket.getLocalPort();
    }
  }

  private void awaitReady() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_PATIENCE.toNanos();
    while (!isReady()) {
      if (process.waitFor(100, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
        throw new IOException("flowsvr did not get ready; its log is " + log + ".");
      }
    }
  }

  private boolean isReady() throws InterruptedException {
    HttpRequest probe =
        HttpRequest.newBuilder(url.resolve("/actuator/health/readiness"))
            .timeout(Duration.ofSeconds(5))
            .build();
    try {
      return http.send(probe, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  URI url() {
    return url;
  }

  long pid() {
    return process.pid();
  }

  /** Ends it in order; by force if that takes too long. */
  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }
}
