package io.asyncflow.flowsvr.front.compat;

import static java.util.Collections.synchronizedList;

import io.asyncflow.flowsvr.wire.Wire;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes the calls of the public Java worker, in its rhythm: it looks its type up by the exact name,
 * holds {@code schedule_limit} tasks every {@code schedule_interval} while its queue of 10,000 has
 * room, runs five at a time, and reports each with all its members. It converts a batch before it
 * queues it, and loses all of it by one task that it does not understand.
 */
final class OldWorker implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int THREADS = 5;
  private static final int QUEUE = 10_000;

  private final Wire wire;
  private final String type;
  private final int limit;
  private final Duration runTime;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS, THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUE));
  private final Map<String, Integer> runs = new ConcurrentHashMap<>();
  private final List<String> refused = synchronizedList(new ArrayList<>());
  private final Thread poller;

  /**
   * @param runTime how long a handler takes
   * @param secondMs how long a second lasts, so that hours pass in minutes
   */
  OldWorker(Wire wire, String type, Duration runTime, long secondMs) {
    this.wire = wire;
    this.type = type;
    this.runTime = runTime;
    JsonNode config = configuration();
    this.limit = config.path("schedule_limit").asInt();
    long interval = config.path("schedule_interval").asInt() * secondMs;
    this.poller = new Thread(() -> poll(interval), "old worker");
  }

  void start() {
    poller.start();
  }

  /** How often each task was run. */
  Map<String, Integer> runs() {
    return runs;
  }

  /** The refusals of its reports. */
  List<String> refused() {
    return refused;
  }

  /** By the exact name, as of a class. */
  private JsonNode configuration() {
    return wire.get("/task_schedule_cfg/list")
        .result()
        .path("scheduleCfgList")
        .valueStream()
        .filter(config -> config.path("task_type").asString().equals(type))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no type is spelled " + type));
  }

  private void poll(long intervalMs) {
    try {
      while (true) {
        if (QUEUE - threads.getQueue().size() >= limit) {
          hold();
        }
        Thread.sleep(intervalMs);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private void hold() {
    String path = "/task/hold_task?task_type=%s&status=1&limit=%s".formatted(type, limit);
    List<ObjectNode> batch = new ArrayList<>();
    try {
      for (JsonNode task : wire.get(path).result().path("taskList")) {
        batch.add(converted((ObjectNode) task));
      }
    } catch (RuntimeException e) {
      return; // with all that it has held
    }
    batch.forEach(task -> threads.execute(() -> run(task)));
  }

  private static ObjectNode converted(ObjectNode task) {
    JsonNode log = JSON.readTree(task.path("schedule_log").asString());
    task.set("schedule_log", log.isString() ? JSON.readTree(log.asString()) : log);
    if (!JSON.readTree(task.path("task_context").asString()).isObject()) {
      throw new IllegalStateException("no context");
    }
    return task;
  }

  private void run(ObjectNode task) {
    String id = task.path("task_id").asString();
    runs.merge(id, 1, Integer::sum);
    try {
      Thread.sleep(runTime.toMillis());
    } catch (InterruptedException e) {
      return; // closed
    }
    ObjectNode log = (ObjectNode) task.get("schedule_log");
    log.withArray("historyDatas").add(log.get("lastData"));
    log.putObject("lastData").put("traceId", "t").put("errMsg", "").put("cost", "1");
    ObjectNode report =
        JSON.createObjectNode()
            .put("task_id", id)
            .put("task_stage", task.path("task_stage").asString())
            .put("task_context", task.path("task_context").asString())
            .put("schedule_log", JSON.writeValueAsString(log.toString()))
            .put("status", 4)
            .put("priority", 0)
            .put("order_time", 0)
            .put("crt_retry_num", task.path("crt_retry_num").asInt())
            .put("max_retry_num", 0)
            .put("max_retry_interval", task.path("max_retry_interval").asInt());
    Wire.Answer answer =
        wire.send(
            wire.request("/task/set_task")
                .header("Content-Type", "application/json; charset=utf-8")
                .POST(BodyPublishers.ofString(report.toString())));
    if (answer.code() != 0) {
      refused.add(id + ": " + answer.body());
    }
  }

  @Override
  public void close() throws InterruptedException {
    poller.interrupt();
    threads.shutdownNow();
    poller.join();
    threads.awaitTermination(10, TimeUnit.SECONDS);
  }
}
