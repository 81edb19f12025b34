package io.asyncflow.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server that answers what a test wants, and keeps what it was asked. */
final class StubServer implements AutoCloseable {

  /** Each request, its path without the room and its body. */
  final List<String> seen = new CopyOnWriteArrayList<>();

  /** The traceparent of each request; {@code "null"} for none. */
  final List<String> traces = new CopyOnWriteArrayList<>();

  private final String room;
  private final HttpServer server;
  private volatile int status = 200;
  private volatile String answer;

  /**
   * @param room of the calls, such as {@code /api/hook/}
   */
  StubServer(String room) throws IOException {
    this.room = room;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  HttpFlowClient client() {
    return new HttpFlowClient(
        URI.create("http://127.0.0.1:" + server.getAddress().getPort()), null);
  }

  /** All calls from now on have this result. */
  void answers(String result) {
    answer = "{\"msg\":\"ok\",\"code\":0,\"result\":" + result + "}";
  }

  /** All calls from now on have this answer. */
  void refuses(int httpStatus, String envelope) {
    status = httpStatus;
    answer = envelope;
  }

  private void answer(HttpExchange exchange) throws IOException {
    traces.add(String.valueOf(exchange.getRequestHeaders().getFirst(TraceParent.HEADER)));
    String path = exchange.getRequestURI().getPath().replace(room, "");
    seen.add(path + " " + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    byte[] body = answer.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
