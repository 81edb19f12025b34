package io.asyncflow.dev.stack;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Stands in for flowsvr and for the worker: an executable jar that can be unpacked like a Spring
 * Boot jar, is ready at once, and writes its environment into its log.
 */
public final class StubProgram {

  /** With this key it does not start. */
  public static final String BAD_KEY = "bad";

  private static final String OTHER_BASELINE = "made-from-another-baseline";

  private StubProgram() {}

  /** Puts the jar where a build of the module would have. */
  public static void build(Path home, String module) throws IOException {
    Path target = Files.createDirectories(home.resolve(module).resolve("target"));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, StubProgram.class.getName());
    String name = StubProgram.class.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(target.resolve(module + "-1-exec.jar"));
        JarOutputStream jar = new JarOutputStream(file, manifest)) {
      jar.putNextEntry(new JarEntry(name));
      jar.write(StubProgram.class.getResourceAsStream("/" + name).readAllBytes());
      jar.closeEntry();
    }
  }

  /** What makes it end, like flowsvr on tables of another baseline. */
  static Path otherBaseline(Path data) {
    return data.resolve("store").resolve(OTHER_BASELINE);
  }

  /** What the jar runs. */
  public static void main(String[] arguments) throws IOException {
    if ("tools".equals(System.getProperty("jarmode"))) {
      unpackTo(Path.of(arguments[2]));
      return;
    }
    System.getenv().forEach((name, value) -> System.out.println(name + "=" + value));
    if (BAD_KEY.equals(System.getenv("FLOW_API_KEY"))) {
      System.out.println("12:00 ERROR [main] Startup : flowsvr does not start: the key is bad.");
      System.exit(1);
    }
    String store = System.getenv("FLOW_STORE_DIR");
    if (store != null && Files.exists(Path.of(store, OTHER_BASELINE))) {
      System.out.println(
          "12:00 ERROR [main] Startup : flowsvr does not start: the tables are old.");
      System.exit(65);
    }
    if (System.getenv("FLOW_PORT") != null) {
      serve(Integer.parseInt(System.getenv("FLOW_PORT")));
    } else {
      URI beat = URI.create(System.getenv("FLOW_URL") + "/api/worker/heartbeat");
      beat.toURL().openStream().close();
    }
    while (System.in.read() >= 0) {
      // until the launcher is gone
    }
    System.exit(0);
  }

  private static void unpackTo(Path destination) throws IOException {
    Path jar = Path.of(System.getProperty("java.class.path"));
    Files.createDirectories(destination);
    Files.copy(jar, destination.resolve(jar.getFileName()));
  }

  private static void serve(int port) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext(
        "/actuator/health/readiness",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.createContext(
        "/api",
        exchange -> {
          sayKeyOf(exchange);
          answer(exchange, "\"scheduleCfgList\":[]");
        });
    List<String> workers = new CopyOnWriteArrayList<>();
    server.createContext(
        "/api/worker/heartbeat",
        exchange -> {
          workers.add("{\"firstBeat\":" + System.currentTimeMillis() + "}");
          answer(exchange, "");
        });
    server.createContext(
        "/api/worker/list",
        exchange -> {
          sayKeyOf(exchange);
          System.out.println("asked for workers, of which it knows " + workers.size());
          answer(exchange, "\"workerList\":" + workers);
        });
    server.start();
  }

  private static void sayKeyOf(HttpExchange exchange) {
    System.out.println("key: " + exchange.getRequestHeaders().getFirst("Authorization"));
  }

  private static void answer(HttpExchange exchange, String result) throws IOException {
    byte[] body =
        ("{\"msg\":\"ok\",\"code\":0,\"result\":{" + result + "}}")
            .getBytes(StandardCharsets.US_ASCII);
    exchange.getRequestBody().readAllBytes();
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
