package io.asyncflow.flowsvr.web;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * What every successful answer is wrapped in.
 *
 * @param result what was asked for; {@code null} where there is nothing to say
 */
@JsonPropertyOrder({"msg", "code", "result"})
public record Envelope<T>(String msg, int code, T result) {

  public static <T> Envelope<T> ok(T result) {
    return new Envelope<>("ok", 0, result);
  }

  /** Done, and nothing to say about it. */
  public static Envelope<Void> done() {
    return ok(null);
  }
}
