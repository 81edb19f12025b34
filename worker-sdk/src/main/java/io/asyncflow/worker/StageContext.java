package io.asyncflow.worker;

import io.asyncflow.worker.internal.stage.ContextJson;
import java.io.InputStream;
import java.nio.file.Path;
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
  default String idempotencyKey() {
    return taskId() + ":" + stage() + ":" + leaseEpoch();
  }

  /**
   * The context as the previous stage (or the creator) wrote it; never {@code null}. One of more
   * than 4,096 bytes lies in the context store and is read from there when it is first asked for.
   *
   * @throws ObjectGoneException if it is not there any more
   */
  String rawContext();

  /**
   * The context read as JSON; never {@code null}.
   *
   * @throws NonRetryableException if it cannot be read as {@code type}; so too if it is empty or
   *     JSON's {@code null}
   */
  default <T> T context(Class<T> type) {
    return type.cast(ContextJson.read(rawContext(), type));
  }

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

  /**
   * Puts a file into the context store, from where any machine can read it, and returns a
   * reference: a short text that is put into the context of the next stage or into the result, as
   * it is. What no context and no result of the task, or of its job, refers to any more is
   * collected after a while.
   *
   * <p>Where no server answers it is kept on this machine's disk, beside the reports that wait
   * there, and delivered before the report; without such a disk, or room on it, this waits for the
   * server as long as the run may go on. The same name in the same run again replaces what was
   * there; other runs are not in the way.
   *
   * @param name 1 to 100 letters, digits, {@code .}, {@code _} and {@code -}, beginning with a
   *     letter or digit
   * @throws IllegalArgumentException if the name cannot be one
   * @throws io.asyncflow.api.FlowException if the server refuses it, as where it is too large or
   *     somebody else holds the task
   * @throws java.io.UncheckedIOException if the file cannot be read
   */
  default String store(String name, Path file) {
    throw new UnsupportedOperationException("this run has no store");
  }

  /**
   * The same for a stream, which is read to its end, by way of a file in the JVM's temporary
   * directory, and is to be closed by the caller.
   */
  default String store(String name, InputStream data) {
    throw new UnsupportedOperationException("this run has no store");
  }

  /**
   * Streams what {@link #store} has put there, in whichever run; to be closed by the caller.
   * Reading throws an {@link java.io.IOException} where the connection breaks, and never ends
   * early.
   *
   * @throws ObjectGoneException if it is not there any more
   * @throws NonRetryableException if it is no reference
   */
  default InputStream open(String reference) {
    throw new UnsupportedOperationException("this run has no store");
  }

  /** The slot this run has, if its stage wants one. */
  Optional<Slot> slot();
}
