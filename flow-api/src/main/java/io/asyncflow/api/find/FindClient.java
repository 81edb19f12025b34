package io.asyncflow.api.find;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.Transport;

/**
 * The calls of flowsvr's contract that find tasks and say why they do not run; see {@link
 * io.asyncflow.api.FlowClient} for the exceptions. Thread-safe.
 *
 * @param transport sends the calls
 */
public record FindClient(Transport transport) {

  private static final Answer<Why> WHY = Answer.of(Because.class, Because::why);

  private record Because(Why why) {}

  /** A page of a search. */
  public FoundTasks search(SearchRequest search) {
    return transport.send(Call.to("/api/task/search", FoundTasks.class).withBody(search));
  }

  /**
   * Executing tasks, those that have run for the longest first.
   *
   * @param taskType {@code null} for all
   * @param workerId {@code null} for all
   * @param limit 1 to 1,000; {@code null} for 100
   */
  public RunningPage running(String taskType, String workerId, Integer limit) {
    return transport.send(
        Call.to("/api/task/running", RunningPage.class)
            .with("taskType", taskType)
            .with("workerId", workerId)
            .with("limit", limit));
  }

  /** Why a task does not run. */
  public Why why(String taskId) {
    return transport.send(Call.to("/api/task/why", WHY).with("taskId", taskId));
  }

  /**
   * Why a child of a job does not run, also while it is no task yet.
   *
   * @param index from 0
   */
  public Why whyOfChild(String jobId, int index) {
    return transport.send(Call.to("/api/task/why", WHY).with("jobId", jobId).with("index", index));
  }

  /** What happened to a task. */
  public TaskHistory history(String taskId) {
    return transport.send(Call.to("/api/task/history", TaskHistory.class).with("taskId", taskId));
  }

  /**
   * A stretch of the children of a job.
   *
   * @param from the index of the first
   * @param count 1 to 5,000; {@code null} for 5,000
   */
  public JobMap jobMap(String jobId, int from, Integer count) {
    return transport.send(
        Call.to("/api/job/getJobMap", JobMap.class)
            .with("jobId", jobId)
            .with("from", from)
            .with("count", count));
  }
}
