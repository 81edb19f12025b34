package io.asyncflow.systemtest.fault.database;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.host.FileTree;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.systemtest.scenario.Window;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * Three real servers of one logical database, for {@code ./asyncflow chaos --mysql}: {@code galera}
 * or {@code group}. A GET of its URL kills one of them with SIGKILL, in turn the writer and any,
 * and answers when it is back and all are whole.
 */
final class ChaosGroup implements AutoCloseable {

  private final DatabaseGroup<?> group;
  private final Duration shortest;
  private final HttpServer door;
  private final Random random = new Random();
  private boolean writerIsNext = true;

  /**
   * @param shortest time for which a member is down; a few seconds longer at most
   */
  private ChaosGroup(DatabaseGroup<?> group, Duration shortest) throws IOException {
    this.group = group;
    this.shortest = shortest;
    this.door = HttpServer.create(new InetSocketAddress(LoopbackPort.HOST, 0), 0);
    door.createContext("/", this::answer);
    door.start();
  }

  /** Starts one of the two kinds. */
  static ChaosGroup of(String kind, Path directory) throws IOException {
    return switch (kind) {
      case "galera" -> new ChaosGroup(GaleraGroup.of(directory, 3), Duration.ZERO);
      // A member that is back before the others have expelled it is refused.
      case "group" -> new ChaosGroup(MySqlGroup.of(directory, 3), Duration.ofSeconds(12));
      default -> throw new IllegalArgumentException("galera or group, not " + kind);
    };
  }

  /**
   * Starts one, says how to use it, and runs until Ctrl-C.
   *
   * @param arguments {@code galera} or {@code group}
   */
  public static void main(String[] arguments) throws IOException {
    Path directory = Files.createTempDirectory("asyncflow-" + arguments[0]);
    ChaosGroup started = of(arguments[0], directory);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  started.close();
                  FileTree.delete(directory);
                }));
    DatabaseEndpoint endpoint = started.endpoint();
    System.out.println("export FLOW_MYSQL_USER=" + endpoint.user());
    System.out.println("export FLOW_MYSQL_PASSWORD=" + endpoint.password());
    System.out.println(
        "./asyncflow chaos --mysql jdbc:mysql://%s --kill-node '%s'"
            .formatted(String.join(",", endpoint.hosts()), started.killNode()));
  }

  DatabaseEndpoint endpoint() {
    return group.given().endpoint();
  }

  /** The command that kills a member. */
  String killNode() {
    return "curl -fsS http://%s:%s".formatted(LoopbackPort.HOST, door.getAddress().getPort() + "");
  }

  private void answer(HttpExchange exchange) throws IOException {
    int status = 200;
    String what;
    try {
      what = kill();
    } catch (RuntimeException e) {
      status = 500;
      what = e.toString();
    }
    byte[] body = (what + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /** For one thread, which is that of the door. */
  private String kill() {
    List<? extends GroupMember> writers = group.writers();
    boolean killsWriter = writerIsNext && !writers.isEmpty();
    writerIsNext = !writerIsNext;
    GroupMember victim =
        killsWriter ? writers.get(0) : group.members().get(random.nextInt(group.members().size()));
    Duration down = shortest.plusMillis(random.nextInt(8_000));
    victim.kill();
    Window.pass(down);
    victim.bringBack();
    group.awaitWhole();
    return "member %s killed%s, down for %s s, and whole again"
        .formatted(
            victim.number() + "",
            writers.contains(victim) ? ", the writer" : "",
            down.toSeconds() + "");
  }

  @Override
  public void close() {
    door.stop(0);
    group.close();
  }
}
