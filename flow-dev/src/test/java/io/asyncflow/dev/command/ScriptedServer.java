package io.asyncflow.dev.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.BiFunction;

/** A server that says what a test wants, and the command line that asks it. Not thread-safe. */
public final class ScriptedServer implements AutoCloseable {

  /** Makes the commands, which read this environment and print there. */
  public interface Commands extends BiFunction<Map<String, String>, PrintStream, Object[]> {}

  public final ByteArrayOutputStream out = new ByteArrayOutputStream();
  public final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** The calls without {@code /api/}, each with its body. */
  public final List<String> asked = new ArrayList<>();

  private final Queue<String> answers = new ArrayDeque<>();
  private final Commands commands;
  private final HttpServer server;

  public ScriptedServer(Commands commands) throws IOException {
    this.commands = commands;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  /** The result of the next call; a call without any succeeds without a result. */
  public void answers(String result) {
    answers.add("{\"code\":0,\"msg\":\"ok\",\"result\":" + result + "}");
  }

  public void refuses(int code, String message) {
    answers.add("{\"code\":%s,\"msg\":\"%s\",\"result\":null}".formatted(code, message));
  }

  /** Runs a command line; returns its exit code. */
  public int run(String... words) {
    Map<String, String> environment =
        Map.of("FLOW_URL", "http://127.0.0.1:" + server.getAddress().getPort());
    PrintStream console = new PrintStream(out, true, UTF_8);
    PrintStream errors = new PrintStream(err, true, UTF_8);
    return Asyncflow.of(commands.apply(environment, console))
        .setOut(new PrintWriter(console, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8))
        .execute(words);
  }

  public List<String> printed() {
    return out.toString(UTF_8).lines().toList();
  }

  public List<String> errors() {
    return err.toString(UTF_8).lines().toList();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String call = exchange.getRequestURI().getPath().replace("/api/", "");
    asked.add(call + " " + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    String answer =
        answers.isEmpty() ? "{\"code\":0,\"msg\":\"ok\",\"result\":null}" : answers.remove();
    byte[] body = answer.getBytes(UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
