package io.asyncflow.flowsvr.edge.access;

import java.util.List;
import java.util.function.Supplier;

/**
 * Knows the callers by what proves them: a bearer token, or the certificate of the client. Asked
 * for every request.
 */
@FunctionalInterface
public interface Callers {

  /**
   * @param token the bearer token; {@code null} if the request has none
   * @param certificate the names in the certificate of the client, empty if it has none; read only
   *     where they decide
   * @return the caller; {@code null} if none is proven
   * @throws io.asyncflow.api.FlowException if a caller is proven, and is refused all the same; it
   *     is the answer
   */
  Caller find(String token, Supplier<List<String>> certificate);
}
