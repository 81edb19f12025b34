package io.asyncflow.worker;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.asyncflow.api.Task;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Enough of flowsvr over real HTTP: the type lark, holds that park for ever unless there is a task,
 * reports that are taken, or get no answer, and one schedule, which is saved once a hold has come.
 */
public final class StubHttpServer implements AutoCloseable {

  /** A request as it came. */
  public record Seen(String path, String authorization, String body) {

    public String field(String name) {
      Matcher value = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(body);
      return value.find() ? value.group(1) : null;
    }
  }

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private final CountDownLatch parkEnd = new CountDownLatch(1);
  private final CountDownLatch firstHold = new CountDownLatch(1);
  private final AtomicInteger tasks = new AtomicInteger();
  private volatile boolean drain;
  private volatile boolean reportsGetLost;

  public StubHttpServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/api/task_schedule_cfg/list",
        exchange -> answer(exchange, "{\"scheduleCfgList\":[{\"task_type\":\"lark\"}]}", false));
    server.createContext("/api/task/hold_task", this::hold);
    server.createContext("/api/task/set_tasks", this::report);
    server.createContext("/api/schedule/saveAll", this::saveSchedule);
    server.createContext(
        "/api/worker/heartbeat",
        exchange -> answer(exchange, "{\"tasks\":[],\"drain\":" + drain + "}", false));
    server.start();
  }

  /** Drains every worker with its parked holds and its next heartbeat. */
  public void drain() {
    drain = true;
    parkEnd.countDown();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  public List<Seen> seen(String path) {
    return seen.stream().filter(request -> request.path().endsWith(path)).toList();
  }

  /** The next hold gets a task in stage one. */
  public void offerTask() {
    tasks.incrementAndGet();
  }

  /** Whether reports get no answer. */
  public void loseReports(boolean value) {
    reportsGetLost = value;
  }

  private void saveSchedule(HttpExchange exchange) throws IOException {
    await(firstHold);
    answer(exchange, "{\"savedList\":[{\"scheduleId\":\"7\",\"outcome\":\"CREATED\"}]}", false);
  }

  private void hold(HttpExchange exchange) throws IOException {
    firstHold.countDown();
    if (tasks.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
      answer(exchange, () -> "{\"taskList\":[],\"drain\":" + drain + "}", true);
      return;
    }
    Task task =
        new Task(
            "me",
            "1_lark_task_1",
            "lark",
            "one",
            2,
            0,
            0,
            0,
            3,
            10,
            null,
            null,
            "",
            "",
            0,
            0,
            1,
            30_000L,
            "w",
            1,
            "trace",
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null);
    answer(exchange, "{\"taskList\":[" + JSON.writeValueAsString(task) + "]}", false);
  }

  private void report(HttpExchange exchange) throws IOException {
    if (reportsGetLost) {
      exchange.close();
    } else {
      answer(exchange, "{\"outcomes\":[{\"outcome\":\"ACCEPTED\",\"code\":0}]}", false);
    }
  }

  /** Every request that got an answer, in the order in which they came. */
  public List<Seen> all() {
    return List.copyOf(seen);
  }

  private void answer(HttpExchange exchange, String result, boolean mayPark) throws IOException {
    answer(exchange, () -> result, mayPark);
  }

  private void answer(HttpExchange exchange, Supplier<String> result, boolean mayPark)
      throws IOException {
    Seen request =
        new Seen(
            exchange.getRequestURI().getPath(),
            exchange.getRequestHeaders().getFirst("Authorization"),
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    seen.add(request);
    if (mayPark && !"0".equals(request.field("waitMs"))) {
      await(parkEnd);
    }
    byte[] body =
        ("{\"msg\":\"ok\",\"code\":0,\"result\":" + result.get() + "}")
            .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    parkEnd.countDown();
    firstHold.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
