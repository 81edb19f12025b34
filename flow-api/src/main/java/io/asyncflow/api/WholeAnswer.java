package io.asyncflow.api;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodySubscriber;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** An answer of an HTTP server that has arrived as a whole. */
public record WholeAnswer(int status, byte[] body) {

  /**
   * Sends a request without waiting. The future completes on a thread of the client. That of {@code
   * sendAsync} completes in the common pool, which may have one thread, and which the application
   * may block.
   *
   * @param body makes the reader of the body
   * @param limit after so long the future fails with a {@link
   *     java.util.concurrent.TimeoutException}
   * @return the answer; to cancel it ends the exchange
   */
  public static CompletableFuture<WholeAnswer> to(
      HttpRequest request,
      HttpClient client,
      Supplier<BodySubscriber<byte[]>> body,
      Duration limit) {
    CompletableFuture<WholeAnswer> answer = new CompletableFuture<>();
    CompletableFuture<?> sent =
        client.sendAsync(
            request,
            head -> {
              BodySubscriber<byte[]> received = body.get();
              received
                  .getBody()
                  .thenAccept(bytes -> answer.complete(new WholeAnswer(head.statusCode(), bytes)));
              return received;
            });
    sent.whenComplete(
        (response, failure) -> {
          if (failure != null) {
            answer.completeExceptionally(failure);
          }
        });
    answer
        .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (whole, failure) -> {
              if (failure != null) {
                sent.cancel(true);
              }
            });
    return answer;
  }
}
