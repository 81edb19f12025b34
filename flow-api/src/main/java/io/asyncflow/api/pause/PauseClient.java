package io.asyncflow.api.pause;

import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Transport;
import java.time.Instant;

/**
 * The calls of flowsvr's contract about pauses; see {@link FlowClient} for the exceptions.
 * Thread-safe.
 *
 * <p>No server gives tasks to what is paused a second after the call has returned. Repeating a call
 * changes nothing. {@code operator} and {@code reason} are recorded with the act; {@code null} for
 * none.
 *
 * @param transport sends the calls
 */
public record PauseClient(Transport transport) {

  /**
   * Pauses a type, a stage or a worker.
   *
   * @param name the type, {@code type/stage}, or the worker's id
   * @param until when the pause ends by itself; {@code null} for never
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK_TYPE} if there is no such type
   */
  public void set(PauseKind kind, String name, Instant until, String operator, String reason) {
    transport.send(
        Call.to("/api/pause/set")
            .with("kind", kind)
            .with("name", name)
            .with("until", until == null ? null : until.toEpochMilli())
            .by(operator, reason));
  }

  /** Pauses until {@link #clear(PauseKind, String)}, without an operator and a reason. */
  public void set(PauseKind kind, String name) {
    set(kind, name, null, null, null);
  }

  /** Ends a pause; does nothing if there is none. */
  public void clear(PauseKind kind, String name, String operator, String reason) {
    transport.send(
        Call.to("/api/pause/clear").with("kind", kind).with("name", name).by(operator, reason));
  }

  /** Ends a pause, without an operator and a reason. */
  public void clear(PauseKind kind, String name) {
    clear(kind, name, null, null);
  }

  /**
   * A page of the pauses in force, by kind and name.
   *
   * @param kind {@code null} for all
   * @param limit 1 to 1,000
   * @param cursor of the last page; {@code null} for the first
   */
  public PausePage list(PauseKind kind, int limit, String cursor) {
    return transport.send(
        Call.to("/api/pause/list", PausePage.class)
            .with("kind", kind)
            .with("limit", limit)
            .with("cursor", cursor));
  }
}
