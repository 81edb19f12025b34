package io.asyncflow.worker;

import io.asyncflow.worker.internal.ContextJson;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.core.type.TypeReference;

/**
 * One run of one stage: the task as it was held, and what is left of its time.
 *
 * <p>Thread-safe; valid until the handler returns.
 */
public interface StageContext {

  /** The task's id, {@code {number}_{type}_task_{n}}. */
  String taskId();

  /** The task's type, in lower case. */
  String taskType();

  /** The stage to run. */
  String stage();

  /** Who the task is for. */
  String userId();

  /** Which attempt of this stage this is, from 1. */
  int attempt();

  /** Counts the holds of the task; a report names it. */
  int leaseEpoch();

  /** One a hold; it stands in every log line and in the schedule log. */
  String traceId();

  /**
   * {@code taskId:stage:epoch}: unique for this run. Name outputs by it, so that a run that was
   * given up never overwrites the one that is committed.
   */
  String idempotencyKey();

  /** The context as the previous stage (or the creator) wrote it; never {@code null}. */
  String rawContext();

  /**
   * The context read as JSON; never {@code null}.
   *
   * @throws NonRetryableException if it cannot be read as {@code type}; so too if it is empty or
   *     JSON's {@code null}
   */
  <T> T context(Class<T> type);

  /**
   * The same for a type with parameters: {@code context(new TypeReference<List<Chapter>>() {})}.
   */
  @SuppressWarnings("unchecked") // Jackson reads what it was told to
  default <T> T context(TypeReference<T> type) {
    return (T) ContextJson.read(rawContext(), type.getType());
  }

  /** What is left until the attempt is interrupted; zero when the time is over. */
  Duration remaining();

  /** Whether the run should stop: the task was cancelled, its lease or its time is over. */
  boolean cancelled();

  /**
   * Tells how far the run is; sent with the next heartbeat.
   *
   * @param percent 0 to 100
   */
  void progress(int percent);

  /** The job that the task is part of, if it is of one. */
  default Optional<String> jobId() {
    return Optional.empty();
  }

  /** The slot this run has, if its stage wants one. */
  Optional<Slot> slot();
}
