package io.asyncflow.spring.outbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.asyncflow.api.NewTask;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A row of the table.
 *
 * @param dueMs 0, or epoch milliseconds before which it is not sent
 * @param id rises with the time of the create; different in all processes
 * @param attempts how often it was refused
 * @param task {@code null} if this version cannot read it
 */
record OutboxTask(long dueMs, String id, int attempts, NewTask task) {

  /** In ASCII, so that no character set of a database or a connection changes it. */
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  /** Of MySQL's TEXT. */
  private static final int MOST_JSON = 65_535;

  private static final int IDS_A_MS = 1_024;

  private static final AtomicLong LAST = new AtomicLong();

  private static final String PROCESS =
      "-" + HexFormat.of().toHexDigits(new SecureRandom().nextLong());

  /** A new row, whose task has an idempotency key. */
  static OutboxTask of(NewTask task) {
    NewTask named =
        task.idempotencyKey() == null
            ? task.withIdempotencyKey(UUID.randomUUID().toString())
            : task;
    return new OutboxTask(0, newId(System.currentTimeMillis()), 0, named);
  }

  private static String newId(long nowMs) {
    long number = LAST.updateAndGet(last -> Math.max(last + 1, nowMs * IDS_A_MS));
    return HexFormat.of().toHexDigits(number) + PROCESS;
  }

  /**
   * One that cannot be read must not keep the others from being sent. A member that this version
   * does not know is not dropped: a newer version wrote it, and sends it.
   */
  static OutboxTask read(long dueMs, String id, int attempts, String json) {
    try {
      return new OutboxTask(dueMs, id, attempts, JSON.readValue(json, NewTask.class));
    } catch (JsonProcessingException e) {
      return new OutboxTask(dueMs, id, attempts, null);
    }
  }

  /**
   * @throws IllegalArgumentException if it does not fit into the table
   */
  String json() {
    try {
      String json = JSON.writeValueAsString(task);
      if (json.length() > MOST_JSON) {
        throw new IllegalArgumentException(
            "a task has at most " + MOST_JSON + " bytes of JSON, not " + json.length());
      }
      return json;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a task cannot be written as JSON", e);
    }
  }
}
