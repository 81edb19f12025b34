package io.asyncflow.console;

import io.asyncflow.api.FlowException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Begins and ends the sessions of operators, where the server asks for keys. Thread-safe. */
public interface LogIn {

  /**
   * Exchanges a key for the cookie of a session.
   *
   * @throws FlowException if the key is not good, or the connection would show the cookie to others
   */
  void begin(String key, HttpServletRequest request, HttpServletResponse response);

  /** Ends the session of the request; does nothing if it has none. */
  void end(HttpServletRequest request, HttpServletResponse response);
}
