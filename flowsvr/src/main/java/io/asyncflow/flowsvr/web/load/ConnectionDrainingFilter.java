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
 * Asks clients to close their connections: those of a server that stops, and all that do not beat
 * where {@link Connections} are scarce.
 */
@Component
@Order(FilterOrder.EVERY_ANSWER)
class ConnectionDrainingFilter extends OncePerRequestFilter {

  private final ConnectionDraining farewell;
  private final Connections connections;

  ConnectionDrainingFilter(ConnectionDraining farewell, Connections connections) {
    this.farewell = farewell;
    this.connections = connections;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (farewell.isLeaving() || connections.areScarce() && !ThreadShare.isHeartbeat(request)) {
      response.setHeader(HttpHeaders.CONNECTION, "close");
    }
    chain.doFilter(request, response);
  }

  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false; // a parked hold, by what is so when it is answered
  }
}
