package io.asyncflow.flowsvr.store;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import java.io.IOException;
import java.util.Optional;

/** Keeps objects under their keys. Thread-safe. */
interface ContextStore {

  /**
   * Takes an object, whole or not at all, and replaces the one of that key.
   *
   * @param guard called when all of it has come and before anybody can read it; what it throws is
   *     thrown, and nothing is changed
   * @throws FlowException with {@link ErrorCode#MALFORMED_BODY} if the upload is not what it was
   *     said to be, with {@link ErrorCode#STORE_FULL} if there is no room for it
   * @throws IOException if the store itself fails
   */
  void put(StoreKey key, Upload upload, Runnable guard) throws IOException;

  /** The object of this key, opened, to be closed by the caller; empty if there is none. */
  Optional<StoredObject> open(StoreKey key) throws IOException;
}
