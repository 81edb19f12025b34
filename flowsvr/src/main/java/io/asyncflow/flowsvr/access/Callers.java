package io.asyncflow.flowsvr.access;

/** Knows the callers by the bearer tokens that prove them. Asked for every request. */
@FunctionalInterface
public interface Callers {

  /**
   * @param token the bearer token; {@code null} if the request has none
   * @return the caller; {@code null} if the token proves none
   * @throws io.asyncflow.api.FlowException if the token's secret is right, and is refused all the
   *     same; it is the answer
   */
  Caller find(String token);
}
