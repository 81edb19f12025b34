package io.asyncflow.flowsvr.compose.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Stores objects under keys. Thread-safe. */
public interface ContextStore {

  /**
   * Stores an object atomically and replaces an existing object with the same key.
   *
   * @param guard called when the upload is complete and before the object is visible; its exception
   *     is thrown, and the store is unchanged
   * @throws FlowException with {@link ErrorCode#MALFORMED_BODY} if the upload's length or digest is
   *     wrong, with {@link ErrorCode#STORE_FULL} if there is no room for it
   * @throws IOException if the store itself fails
   */
  void put(StoreKey key, Upload upload, Runnable guard) throws IOException;

  /** Opens the object with this key; empty if there is none. The caller must close it. */
  Optional<StoredObject> open(StoreKey key) throws IOException;

  /**
   * Ids of tasks that have objects, in an order defined by the store.
   *
   * @param after the last id of the previous page; empty for the first page
   * @return at most {@code limit} ids; fewer only at the end
   */
  List<String> tasks(String after, int limit) throws IOException;

  /** The objects of a task. */
  default List<Entry> entries(String taskId) throws IOException {
    return entries(List.of(taskId)).getOrDefault(taskId, List.of());
  }

  /**
   * The objects of several tasks by task id; tasks without objects are missing.
   *
   * @param taskIds in the order of {@link #tasks}, each once
   */
  Map<String, List<Entry>> entries(List<String> taskIds) throws IOException;

  /** Removes an object; does nothing if there is none. */
  void delete(StoreKey key) throws IOException;

  /** Removes partial uploads that a crashed server left before this moment. */
  void tidy(Instant before) throws IOException;

  /**
   * An existing object.
   *
   * @param stored the time of the upload, by the store's clock
   */
  record Entry(StoreKey key, long bytes, Instant stored) {}

  /** How full the store is. */
  Usage usage() throws IOException;

  /**
   * How full the store is.
   *
   * @param kind {@code DIRECTORY} or {@code BUCKET}
   * @param place the directory, or the bucket and the prefix
   * @param freeBytes {@code null} where there is no limit
   * @param totalBytes {@code null} where there is no limit
   * @param minFreeBytes what an upload leaves free; {@code null} where there is no limit
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Usage(String kind, String place, Long freeBytes, Long totalBytes, Long minFreeBytes) {}
}
