package io.asyncflow.api;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * The calls of flowsvr's contract about the context store; see {@link FlowClient} for the
 * exceptions. Implementations are thread-safe.
 */
public interface StoreClient {

  /**
   * Stores an object, whole or not at all. A second call with the same key replaces the object.
   *
   * @param workerId the worker that holds the key's task
   * @throws FlowException with {@link ErrorCode#LEASE_LOST} if the run's report would be refused,
   *     with {@link ErrorCode#TOO_LARGE} if the object exceeds the store's limit, with {@link
   *     ErrorCode#STORE_FULL} if the store has no room at the moment
   */
  void put(StoreKey key, String workerId, StoreContent content);

  /**
   * Opens an object for reading from its beginning; the caller closes the stream. If the connection
   * breaks, or is silent for longer than an answer may take, reading throws an {@link
   * java.io.IOException} and never reports an early end: then open it again. An interrupt ends a
   * read in the same way and leaves the thread's interrupt flag set.
   *
   * @throws FlowException with {@link ErrorCode#NO_SUCH_OBJECT} if there is none
   */
  InputStream open(StoreKey key);

  /**
   * Resolves a context or a result of a task or a job: returns the text itself, or the text in the
   * store if it is a {@link StoredText}.
   *
   * @param text may be {@code null}; then {@code null} is returned
   * @throws FlowException with {@link ErrorCode#NO_SUCH_OBJECT} if the stored object is gone
   * @throws FlowUnreachableException if reading broke off, or the stored object has another length
   *     than the reference says
   */
  default String textOf(String text) {
    StoredText stored = text == null ? null : StoredText.parse(text).orElse(null);
    if (stored == null) {
      return text;
    }
    try (InputStream in = open(stored.key())) {
      byte[] bytes = in.readNBytes(StoredText.MOST_BYTES + 1);
      if (bytes.length > StoredText.MOST_BYTES) {
        throw new FlowException(ErrorCode.TOO_LARGE, stored.key() + " is not a text");
      }
      if (bytes.length != stored.bytes()) {
        throw new FlowUnreachableException(
            stored.key() + " has " + bytes.length + " bytes instead of " + stored.bytes(), null);
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new FlowUnreachableException("reading " + stored.key() + " broke off: " + e, e);
    }
  }
}
