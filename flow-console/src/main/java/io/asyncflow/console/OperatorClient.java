package io.asyncflow.console;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.Transport;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Sends the calls of the API in the name of the operator whose request this thread serves. Others
 * may get the same answer, so nobody changes it. Implementations are thread-safe.
 */
public interface OperatorClient extends Transport {

  /**
   * Reads an object of the store.
   *
   * @param to takes the headers and the bytes as HTTP would have answered them
   * @throws FlowException as the API refuses it; then nothing has been answered
   */
  void read(StoreKey key, HttpServletResponse to) throws IOException;

  /**
   * Reads the input of a job, which is a text in UTF-8.
   *
   * @param to as in {@link #read}
   * @throws FlowException as the API refuses it; then nothing has been answered
   */
  void readInput(String jobId, HttpServletResponse to) throws IOException;
}
