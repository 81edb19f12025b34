package io.asyncflow.flowsvr.edge.web;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * The wrapper of every successful answer.
 *
 * @param result the answer's content; {@code null} if the call returns nothing
 */
@JsonPropertyOrder({"msg", "code", "result"})
public record Envelope<T>(String msg, int code, T result) {

  public static <T> Envelope<T> ok(T result) {
    return new Envelope<>("ok", 0, result);
  }

  /** A success without a result. */
  public static Envelope<Void> done() {
    return ok(null);
  }
}
