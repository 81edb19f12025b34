package io.asyncflow.console;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Answers as a server that asks for a session, once the session has ended. */
public final class SampleDoor extends HttpFilter {

  private static final long serialVersionUID = 1L;

  private volatile boolean isShut;

  /** Ends the session, or begins another one. */
  public void shut(boolean shut) {
    isShut = shut;
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    String path = request.getRequestURI();
    String accept = request.getHeader("Accept");
    if (!isShut || path.startsWith("/console/login") || path.startsWith("/console/static/")) {
      chain.doFilter(request, response);
    } else if (accept != null && accept.contains("text/html")) {
      response.setStatus(HttpServletResponse.SC_SEE_OTHER);
      response.setHeader("Location", "/console/login?to=" + path);
    } else {
      response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
    }
  }
}
