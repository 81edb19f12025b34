package io.asyncflow.api;

import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/** The calls about jobs, over HTTP. */
final class HttpJobClient implements JobClient {

  private static final Answer<String> JOB_ID = Answer.of(JobIdResult.class, JobIdResult::jobId);
  private static final Answer<Job> JOB = Answer.of(JobResult.class, JobResult::jobData);
  private static final Answer<JobPage> JOB_PAGE = Answer.of(JobPage.class);
  private static final Answer<JobTaskPage> TASKS = Answer.of(JobTaskPage.class);

  private final HttpTransport http;

  HttpJobClient(HttpTransport http) {
    this.http = http;
  }

  private record JobIdResult(String jobId) {}

  private record JobResult(Job jobData) {}

  private record OfJob(String jobId) {}

  private record ActOnJob(String jobId, String operator, String reason) {}

  private record GetJobList(
      String userId, String jobType, String state, Integer limit, String cursor) {}

  private record GetJobTasks(String jobId, int limit, String cursor) {}

  static Call<String> createCall(NewJob job) {
    return new Call<>("/api/job/createJob", Map.of("jobData", job), JOB_ID);
  }

  static Call<Job> getCall(String jobId) {
    return new Call<>("/api/job/getJob", new OfJob(jobId), JOB);
  }

  static Call<JobPage> listCall(JobListRequest request) {
    String states = request.states().stream().map(JobState::name).collect(Collectors.joining(","));
    GetJobList body =
        new GetJobList(
            request.userId(), request.jobType(), states, request.limit(), request.cursor());
    return new Call<>("/api/job/getJobList", body, JOB_PAGE);
  }

  static Call<Void> cancelCall(String jobId, String operator, String reason) {
    return new Call<>("/api/job/cancel", new ActOnJob(jobId, operator, reason), Answer.NONE);
  }

  @Override
  public String createJob(NewJob job) {
    return http.make(createCall(job));
  }

  @Override
  public Job getJob(String jobId) {
    return http.make(getCall(jobId));
  }

  @Override
  public JobPage getJobList(JobListRequest request) {
    return http.make(listCall(request));
  }

  @Override
  public JobTaskPage getJobTasks(String jobId, int limit, String cursor) {
    return http.post("/api/job/getJobTasks", new GetJobTasks(jobId, limit, cursor), TASKS);
  }

  @Override
  public JobEvents openJobProgress(String jobId, String lastEventId) {
    String id = URLEncoder.encode(jobId, StandardCharsets.UTF_8);
    return new HttpJobEvents(http.events("/api/job/progress?jobId=" + id, lastEventId));
  }

  @Override
  public Reader openJobInput(String jobId) {
    return new InputStreamReader(
        http.open("/api/job/getJobInput", new OfJob(jobId)), StandardCharsets.UTF_8);
  }

  @Override
  public void addJobChildren(JobChildren children) {
    http.post("/api/job/addChildren", children);
  }

  @Override
  public void cancelJob(String jobId, String operator, String reason) {
    http.make(cancelCall(jobId, operator, reason));
  }

  @Override
  public void pauseJob(String jobId, String operator, String reason) {
    http.post("/api/job/pause", new ActOnJob(jobId, operator, reason));
  }

  @Override
  public void resumeJob(String jobId, String operator, String reason) {
    http.post("/api/job/resume", new ActOnJob(jobId, operator, reason));
  }

  @Override
  public void retryJob(String jobId, String operator, String reason) {
    http.post("/api/job/retry", new ActOnJob(jobId, operator, reason));
  }
}
