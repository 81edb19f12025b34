package io.asyncflow.api;

import io.asyncflow.api.worker.Worker;
import io.asyncflow.api.worker.WorkerClient;
import java.time.Duration;
import java.util.List;

/** The calls about workers, over HTTP. */
final class HttpWorkerClient implements WorkerClient {

  private static final Answer<List<Worker>> WORKERS = Answer.of(Workers.class, Workers::workerList);
  private static final Answer<Worker> WORKER = Answer.of(Found.class, Found::workerData);

  private final HttpTransport http;

  HttpWorkerClient(HttpTransport http) {
    this.http = http;
  }

  private record ListWorkers(Integer limit) {}

  private record GetWorker(String workerId) {}

  private record Drain(
      String workerId, Integer undo, Long graceMs, String operator, String reason) {}

  private record Workers(List<Worker> workerList) {}

  private record Found(Worker workerData) {}

  @Override
  public List<Worker> list(Integer limit) {
    return http.post("/api/worker/list", new ListWorkers(limit), WORKERS);
  }

  @Override
  public Worker get(String workerId) {
    return http.post("/api/worker/get", new GetWorker(workerId), WORKER);
  }

  @Override
  public void drain(String workerId, Duration grace, String operator, String reason) {
    Long graceMs = grace == null ? null : (Long) grace.toMillis();
    http.post("/api/worker/drain", new Drain(workerId, null, graceMs, operator, reason));
  }

  @Override
  public void undoDrain(String workerId, String operator, String reason) {
    http.post("/api/worker/drain", new Drain(workerId, 1, null, operator, reason));
  }
}
