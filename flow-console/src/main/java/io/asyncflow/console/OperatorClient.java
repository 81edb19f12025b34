package io.asyncflow.console;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * The calls of the API, in the name of the operator whose request this thread serves.
 * Implementations are thread-safe.
 */
public interface OperatorClient {

  /**
   * Makes a call.
   *
   * @param path as docs/api.md has it, such as {@code /api/task/getTask}
   * @param fields the fields of the call; {@code null} values stand for absent ones
   * @return the {@code result} of the answer; others may have the same, so nobody changes it
   * @throws FlowException as the API refuses the call
   */
  JsonNode call(String path, Map<String, ?> fields);

  /** Takes an object of the store. */
  @FunctionalInterface
  interface Receiver {

    /**
     * The object comes.
     *
     * @param length in bytes
     * @return where its bytes go
     */
    OutputStream begin(long length) throws IOException;
  }

  /**
   * Reads an object of the store.
   *
   * @throws FlowException as the API refuses it; then the receiver is not asked
   */
  void read(StoreKey key, Receiver to) throws IOException;

  /**
   * Reads the input of a job, which is a text in UTF-8.
   *
   * @throws FlowException as the API refuses it; then the receiver is not asked
   */
  void readInput(String jobId, Receiver to) throws IOException;
}
