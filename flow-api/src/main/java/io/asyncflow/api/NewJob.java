package io.asyncflow.api;

/**
 * A job to be created.
 *
 * @param userId the user that the job is for, at most 128 characters
 * @param jobType the task type of its split and its merge, matched without regard to case
 * @param jobInput the input of the split; the whole request has at most 16 MiB
 * @param priority seconds of head start of all its tasks, 0 to 31,536,000; {@code null} is 0
 * @param idempotencyKey the same key and body give the same job id; at most 128 printable ASCII
 * @param failurePolicy {@code null} is {@link FailurePolicy#FINISH}
 * @param childType the task type of its children; {@code null} is {@code jobType}
 * @param window the most children that are tasks without having ended, 1 to 100,000: the next ones
 *     become tasks as these end; {@code null} is no limit
 */
public record NewJob(
    String userId,
    String jobType,
    String jobInput,
    Integer priority,
    String idempotencyKey,
    FailurePolicy failurePolicy,
    String childType,
    Integer window) {

  public static NewJob of(String jobType, String userId, String jobInput) {
    return new NewJob(userId, jobType, jobInput, null, null, null, null, null);
  }

  public NewJob withIdempotencyKey(String key) {
    return new NewJob(userId, jobType, jobInput, priority, key, failurePolicy, childType, window);
  }

  public NewJob withFailurePolicy(FailurePolicy policy) {
    return new NewJob(
        userId, jobType, jobInput, priority, idempotencyKey, policy, childType, window);
  }

  public NewJob withChildType(String type) {
    return new NewJob(
        userId, jobType, jobInput, priority, idempotencyKey, failurePolicy, type, window);
  }

  public NewJob withPriority(int seconds) {
    return new NewJob(
        userId, jobType, jobInput, seconds, idempotencyKey, failurePolicy, childType, window);
  }

  /** The same with at most this many of its children in flight. */
  public NewJob withWindow(int children) {
    return new NewJob(
        userId, jobType, jobInput, priority, idempotencyKey, failurePolicy, childType, children);
  }
}
