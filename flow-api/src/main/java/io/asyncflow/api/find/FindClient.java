package io.asyncflow.api.find;

/**
 * The calls of flowsvr's contract that find tasks and say why they do not run; see {@link
 * io.asyncflow.api.FlowClient} for the exceptions. Implementations are thread-safe.
 */
public interface FindClient {

  /** A page of a search. */
  FoundTasks search(SearchRequest search);

  /**
   * Executing tasks, those that have run for the longest first.
   *
   * @param taskType {@code null} for all
   * @param workerId {@code null} for all
   * @param limit 1 to 1,000; {@code null} for 100
   */
  RunningPage running(String taskType, String workerId, Integer limit);

  /** Why a task does not run. */
  Why why(String taskId);

  /**
   * Why a child of a job does not run, also while it is no task yet.
   *
   * @param index from 0
   */
  Why whyOfChild(String jobId, int index);

  /** What happened to a task. */
  TaskHistory history(String taskId);

  /**
   * A stretch of the children of a job.
   *
   * @param from the index of the first
   * @param count 1 to 5,000; {@code null} for 5,000
   */
  JobMap jobMap(String jobId, int from, Integer count);
}
