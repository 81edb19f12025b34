package io.asyncflow.api;

import com.fasterxml.jackson.databind.ObjectReader;
import io.asyncflow.api.worker.Worker;
import io.asyncflow.api.worker.WorkerClient;
import java.time.Duration;
import java.util.List;

/** The calls about workers, over the connections of an {@link HttpFlowClient}. */
final class HttpWorkerClient implements WorkerClient {

  private static final ObjectReader WORKERS = HttpFlowClient.envelopeOf(Workers.class);
  private static final ObjectReader WORKER = HttpFlowClient.envelopeOf(Found.class);

  private final HttpFlowClient http;

  HttpWorkerClient(HttpFlowClient http) {
    this.http = http;
  }

  private record ListWorkers(Integer limit) {}

  private record GetWorker(String workerId) {}

  private record Drain(
      String workerId, Integer undo, Long graceMs, String operator, String reason) {}

  record Workers(List<Worker> workerList) {}

  record Found(Worker workerData) {}

  @Override
  public List<Worker> list(Integer limit) {
    return http.<Workers>post("/api/worker/list", new ListWorkers(limit), WORKERS).workerList();
  }

  @Override
  public Worker get(String workerId) {
    return http.<Found>post("/api/worker/get", new GetWorker(workerId), WORKER).workerData();
  }

  @Override
  public void drain(String workerId, Duration grace, String operator, String reason) {
    Long graceMs = grace == null ? null : (Long) grace.toMillis();
    http.postWithoutResult(
        "/api/worker/drain", new Drain(workerId, null, graceMs, operator, reason));
  }

  @Override
  public void undoDrain(String workerId, String operator, String reason) {
    http.postWithoutResult("/api/worker/drain", new Drain(workerId, 1, null, operator, reason));
  }
}
