package io.asyncflow.console;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Knows one key. */
final class SampleLogIn implements LogIn {

  @Override
  public void begin(String key, HttpServletRequest request, HttpServletResponse response) {
    if (!key.equals("right")) {
      throw new FlowException(ErrorCode.NOT_AUTHENTICATED, "no valid key");
    }
  }

  @Override
  public void end(HttpServletRequest request, HttpServletResponse response) {
    // there are no sessions here
  }
}
