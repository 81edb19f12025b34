package io.asyncflow.flowsvr.edge.web.filter;

import jakarta.servlet.http.HttpServletRequest;

/** The route that is open to all and always answered: platforms restart a server that is not. */
public final class HealthRoute {

  private static final String PATH = "/actuator/health";

  private HealthRoute() {}

  /**
   * Decides by the path as Tomcat decoded and normalized it. The filters that let a request in
   * admit no path that differs from it.
   */
  public static boolean isOf(HttpServletRequest request) {
    String path = request.getServletPath();
    return path.equals(PATH) || path.startsWith(PATH + "/");
  }
}
