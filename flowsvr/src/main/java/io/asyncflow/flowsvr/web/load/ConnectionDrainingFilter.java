package io.asyncflow.flowsvr.web.load;

import io.asyncflow.flowsvr.web.filter.FilterOrder;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Asks clients to close their connections: all clients when the server stops, and all but those of
 * heartbeats when {@link Connections} are scarce.
 */
@Component
@Order(FilterOrder.EVERY_ANSWER)
class ConnectionDrainingFilter extends OncePerRequestFilter {

  private final ConnectionDraining draining;
  private final Connections connections;

  ConnectionDrainingFilter(ConnectionDraining draining, Connections connections) {
    this.draining = draining;
    this.connections = connections;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (draining.isDraining() || connections.areScarce() && !ThreadShare.isHeartbeat(request)) {
      response.setHeader(HttpHeaders.CONNECTION, "close");
    }
    chain.doFilter(request, response);
  }

  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false; // a parked hold: decided when it is answered
  }
}
