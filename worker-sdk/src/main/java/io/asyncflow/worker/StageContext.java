package io.asyncflow.worker;

import io.asyncflow.api.Copy;
import io.asyncflow.worker.internal.json.ContextJson;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One run of one stage: the held task and its remaining time.
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

  /** The id of the user for whom the task was created. */
  String userId();

  /** The number of this attempt of the stage, from 1; each hold is one attempt. */
  int attempt();

  /**
   * The number of this run of the handler within the hold, from 1; above 1 after {@linkplain
   * StageNeeds#retriedHere local retries}.
   */
  default int localAttempt() {
    return 1;
  }

  /** The number of the task's hold, which fences its report. */
  int leaseEpoch();

  /** The trace id of the hold, {@code holdTraceId} of log lines and in the schedule log. */
  String traceId();

  /**
   * The W3C {@code traceparent} to send with what this run calls, if that takes one: it names the
   * span of the run where the worker {@linkplain Worker.Builder#tracing traces}, and otherwise the
   * call that created the task. Empty if the task is in no trace.
   */
  default Optional<String> traceParent() {
    return Optional.empty();
  }

  /**
   * {@code taskId:stage:epoch}: unique for this run, local retries included. Use it in the names of
   * outputs, so that an abandoned run never overwrites the output of the committed one.
   */
  default String idempotencyKey() {
    return taskId() + ":" + stage() + ":" + leaseEpoch();
  }

  /**
   * The context as the previous stage or the creator wrote it; never {@code null}. A context of
   * more than 4,096 bytes is read from the context store on the first call.
   *
   * @throws ObjectGoneException if it is no longer in the context store
   */
  String rawContext();

  /**
   * The context read as JSON; never {@code null}. Of a {@link java.time.ZonedDateTime} the offset
   * is kept, and not the name of its zone.
   *
   * @throws NonRetryableException if it is empty, JSON's {@code null}, or not JSON
   * @throws IllegalArgumentException if it cannot be read as {@code type}, which another version of
   *     the program may have: the task is tried again, as after any other exception
   */
  default <T> T context(Class<T> type) {
    return type.cast(ContextJson.read(rawContext(), type));
  }

  /** The same for a generic type: {@code context(new GenericType<List<Chapter>>() {})}. */
  @SuppressWarnings("unchecked") // Jackson reads what it was told to
  default <T> T context(GenericType<T> type) {
    return (T) ContextJson.read(rawContext(), type.type());
  }

  /** The time until the attempt is interrupted; zero when it has passed. */
  Duration remaining();

  /**
   * Whether the run should stop: the task was cancelled, its lease or its time has ended, or the
   * worker stops and its grace is over.
   */
  boolean cancelled();

  /**
   * Sets the progress of the run, which the next heartbeat carries.
   *
   * @param percent 0 to 100
   */
  void progress(int percent);

  /** The id of the job to which the task belongs; empty if it belongs to none. */
  default Optional<String> jobId() {
    return Optional.empty();
  }

  /**
   * Which copy of a team the task is, to do its part of the whole; empty if it is none.
   *
   * @see io.asyncflow.api.NewJob#ofTeam
   */
  default Optional<Copy> copy() {
    return Optional.empty();
  }

  /**
   * The id of the schedule that created the task; empty if none did. Of a job that a schedule
   * created, the job has the id, and its tasks have none.
   */
  default Optional<String> scheduleId() {
    return Optional.empty();
  }

  /**
   * When the schedule fired that created the task; empty if none did. Each fire has its own time,
   * which stays the same however late the task runs, so it says which day or hour the run is for.
   */
  default Optional<Instant> fireTime() {
    return Optional.empty();
  }

  /**
   * Puts a file into the context store, which every worker can read, and returns a reference: a
   * short text to be put unchanged into the next stage's context or into the result. Objects to
   * which no context and no result of the task or its job refers are collected after a while.
   *
   * <p>If no server answers, or the worker's key is refused, the object is kept in the spool on
   * this machine's disk and delivered before the report. Without a spool, or space in it, the call
   * blocks until the server takes it or the run ends. Storing the same name again in the same run
   * replaces the object; runs do not share names.
   *
   * @param name 1 to 100 letters, digits, {@code .}, {@code _} and {@code -}, beginning with a
   *     letter or digit
   * @throws IllegalArgumentException if the name is invalid
   * @throws io.asyncflow.api.FlowException if the server refuses the object, because it is too
   *     large or another worker holds the task
   * @throws java.io.UncheckedIOException if the file cannot be read
   */
  default String store(String name, Path file) {
    throw new UnsupportedOperationException("this run has no store");
  }

  /**
   * The same for a stream, which is copied to a file in the JVM's temporary directory first. The
   * caller must close it.
   */
  default String store(String name, InputStream data) {
    throw new UnsupportedOperationException("this run has no store");
  }

  /**
   * Streams an object that {@link #store} has stored in any run. The caller must close the stream.
   * If the connection breaks, reading throws an {@link java.io.IOException}; the stream never ends
   * early.
   *
   * @throws ObjectGoneException if the object no longer exists
   * @throws NonRetryableException if {@code reference} is not a reference
   */
  default InputStream open(String reference) {
    throw new UnsupportedOperationException("this run has no store");
  }

  /** The slot of this run; empty if the stage takes none. */
  Optional<Slot> slot();
}
