package io.asyncflow.console;

import jakarta.servlet.http.HttpServletRequest;

/** Tells what an open page asks by itself, to follow the news, from what a person asks. */
public final class Live {

  /** As {@code live.js} sends it. */
  public static final String HEADER = "X-Asyncflow-Live";

  private Live() {}

  public static boolean isIn(HttpServletRequest request) {
    return request.getHeader(HEADER) != null;
  }
}
