package io.asyncflow.api;

import io.asyncflow.api.find.FindClient;
import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.JobMap;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.api.find.SearchRequest;
import io.asyncflow.api.find.TaskHistory;
import io.asyncflow.api.find.Why;

/** The calls that find tasks, over HTTP. */
final class HttpFindClient implements FindClient {

  private static final Answer<FoundTasks> FOUND = Answer.of(FoundTasks.class);
  private static final Answer<RunningPage> RUNNING = Answer.of(RunningPage.class);
  private static final Answer<Why> WHY = Answer.of(Because.class, Because::why);
  private static final Answer<TaskHistory> HISTORY = Answer.of(TaskHistory.class);
  private static final Answer<JobMap> JOB_MAP = Answer.of(JobMap.class);

  private final HttpTransport http;

  HttpFindClient(HttpTransport http) {
    this.http = http;
  }

  private record ListRunning(String taskType, String workerId, Integer limit) {}

  private record OfTask(String taskId) {}

  private record OfChild(String jobId, int index) {}

  private record GetJobMap(String jobId, int from, Integer count) {}

  private record Because(Why why) {}

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
    return http.post("/api/task/why", new OfTask(taskId), WHY);
  }

  @Override
  public Why whyOfChild(String jobId, int index) {
    return http.post("/api/task/why", new OfChild(jobId, index), WHY);
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
