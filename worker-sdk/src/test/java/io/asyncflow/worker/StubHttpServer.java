package io.asyncflow.worker;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Enough of flowsvr over real HTTP: the type lark, and holds that park for ever. */
public final class StubHttpServer implements AutoCloseable {

  /** A request as it came. */
  public record Seen(String path, String authorization, String body) {

    public String field(String name) {
      Matcher value = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(body);
      return value.find() ? value.group(1) : null;
    }
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile boolean drain;

  public StubHttpServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/api/task_schedule_cfg/list",
        exchange -> answer(exchange, "{\"scheduleCfgList\":[{\"task_type\":\"lark\"}]}", false));
    server.createContext(
        "/api/task/hold_task", exchange -> answer(exchange, "{\"taskList\":[]}", true));
    server.createContext(
        "/api/worker/heartbeat",
        exchange -> answer(exchange, "{\"tasks\":[],\"drain\":" + drain + "}", false));
    server.start();
  }

  /** Sends every worker away with its next heartbeat. */
  public void drain() {
    drain = true;
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  public List<Seen> seen(String path) {
    return seen.stream().filter(request -> request.path().endsWith(path)).toList();
  }

  private void answer(HttpExchange exchange, String result, boolean mayPark) throws IOException {
    Seen request =
        new Seen(
            exchange.getRequestURI().getPath(),
            exchange.getRequestHeaders().getFirst("Authorization"),
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    seen.add(request);
    if (mayPark && !"0".equals(request.field("waitMs"))) {
      park();
    }
    byte[] body =
        ("{\"msg\":\"ok\",\"code\":0,\"result\":" + result + "}").getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private void park() {
    try {
      closing.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
