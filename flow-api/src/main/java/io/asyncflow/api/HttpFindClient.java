package io.asyncflow.api;

import com.fasterxml.jackson.databind.ObjectReader;
import io.asyncflow.api.find.FindClient;
import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.JobMap;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.api.find.SearchRequest;
import io.asyncflow.api.find.TaskHistory;
import io.asyncflow.api.find.Why;

/** The calls that find tasks, over the connections of an {@link HttpFlowClient}. */
final class HttpFindClient implements FindClient {

  private static final ObjectReader FOUND = HttpFlowClient.envelopeOf(FoundTasks.class);
  private static final ObjectReader RUNNING = HttpFlowClient.envelopeOf(RunningPage.class);
  private static final ObjectReader WHY = HttpFlowClient.envelopeOf(Because.class);
  private static final ObjectReader HISTORY = HttpFlowClient.envelopeOf(TaskHistory.class);
  private static final ObjectReader JOB_MAP = HttpFlowClient.envelopeOf(JobMap.class);

  private final HttpFlowClient http;

  HttpFindClient(HttpFlowClient http) {
    this.http = http;
  }

  private record ListRunning(String taskType, String workerId, Integer limit) {}

  private record OfTask(String taskId) {}

  private record OfChild(String jobId, int index) {}

  private record GetJobMap(String jobId, int from, Integer count) {}

  record Because(Why why) {}

  @Override
  public FoundTasks search(SearchRequest search) {
    return http.post("/api/task/search", search, FOUND);
  }

  @Override
  public RunningPage running(String taskType, String workerId, Integer limit) {
    return http.post("/api/task/running", new ListRunning(taskType, workerId, limit), RUNNING);
  }

  @Override
  public Why why(String taskId) {
    return http.<Because>post("/api/task/why", new OfTask(taskId), WHY).why();
  }

  @Override
  public Why whyOfChild(String jobId, int index) {
    return http.<Because>post("/api/task/why", new OfChild(jobId, index), WHY).why();
  }

  @Override
  public TaskHistory history(String taskId) {
    return http.post("/api/task/history", new OfTask(taskId), HISTORY);
  }

  @Override
  public JobMap jobMap(String jobId, int from, Integer count) {
    return http.post("/api/job/getJobMap", new GetJobMap(jobId, from, count), JOB_MAP);
  }
}
