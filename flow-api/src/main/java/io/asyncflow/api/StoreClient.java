package io.asyncflow.api;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * The part of flowsvr's contract that is about the context store, as method calls; see {@link
 * FlowClient} for what they throw. Implementations are thread-safe.
 */
public interface StoreClient {

  /**
   * Puts an object, whole or not at all; the same key again replaces it.
   *
   * @param workerId who holds the task of the key
   * @throws FlowException with {@link ErrorCode#LEASE_LOST} if that run has no more to report, with
   *     {@link ErrorCode#TOO_LARGE} if the store takes none so large, with {@link
   *     ErrorCode#STORE_FULL} if it has no room for it at the moment
   */
  void put(StoreKey key, String workerId, StoreContent content);

  /**
   * An object from its beginning, to be closed by the caller. Reading throws an {@link
   * java.io.IOException} where the connection breaks, never an early end: open it again.
   *
   * @throws FlowException with {@link ErrorCode#NO_SUCH_OBJECT} if there is none
   */
  InputStream open(StoreKey key);

  /**
   * What a context or a result that was read from a task or a job says: itself, or the {@link
   * StoredText} that it stands for.
   *
   * @param text {@code null} stays that
   * @throws FlowException with {@link ErrorCode#NO_SUCH_OBJECT} if it is not there any more
   */
  default String textOf(String text) {
    StoredText stored = text == null ? null : StoredText.parse(text).orElse(null);
    if (stored == null) {
      return text;
    }
    try (InputStream in = open(stored.key())) {
      byte[] whole = in.readNBytes(StoredText.MOST_BYTES + 1);
      if (whole.length > StoredText.MOST_BYTES) {
        throw new FlowException(ErrorCode.TOO_LARGE, stored.key() + " is no text");
      }
      return new String(whole, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new FlowUnreachableException("reading " + stored.key() + " broke off: " + e, e);
    }
  }
}
