package io.asyncflow.api;

import java.util.concurrent.CompletableFuture;

/**
 * Sends the calls of clients, and returns what they are answered. All clients of parts of the
 * contract, such as {@link JobClient}, make their calls by one. What concerns many calls, such as
 * to seal, to measure or to repeat them, is a transport around another one. Thread-safe.
 */
public interface Transport {

  /**
   * Sends a call and waits for its answer.
   *
   * @throws FlowException as {@link FlowClient} says
   */
  <T> T send(Call<T> call);

  /**
   * Sends a call without waiting. Its future fails with what {@link #send} throws. Takes a thread
   * while the call is under way, unless a transport says otherwise.
   */
  default <T> CompletableFuture<T> sendAsync(Call<T> call) {
    return AsyncFlowClient.onThread(() -> send(call));
  }
}
