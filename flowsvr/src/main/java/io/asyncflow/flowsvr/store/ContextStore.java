package io.asyncflow.flowsvr.store;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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

  /**
   * Ids of tasks that have objects, in an order of the store's own.
   *
   * @param after the last id of the page before; empty for the first
   * @return at most so many; fewer only at the end
   */
  List<String> tasks(String after, int limit) throws IOException;

  /** The objects of a task. */
  default List<Entry> entries(String taskId) throws IOException {
    return entries(List.of(taskId)).getOrDefault(taskId, List.of());
  }

  /**
   * The objects of several tasks; those of one that has none are missing.
   *
   * @param taskIds in the order of {@link #tasks}, each once
   */
  Map<String, List<Entry>> entries(List<String> taskIds) throws IOException;

  /** Removes an object; does nothing if there is none. */
  void delete(StoreKey key) throws IOException;

  /** Removes what uploads have left that broke off with their server before this moment. */
  void tidy(Instant before) throws IOException;

  /**
   * An object that is there.
   *
   * @param stored when, by the store's clock
   */
  record Entry(StoreKey key, Instant stored) {}
}
