package io.asyncflow.flowsvr.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Asks the clients of a server that stops to close their connections. */
@Component
@Order(FilterOrder.EVERY_ANSWER)
class FarewellFilter extends OncePerRequestFilter {

  private final Farewell farewell;

  FarewellFilter(Farewell farewell) {
    this.farewell = farewell;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (farewell.isLeaving()) {
      response.setHeader(HttpHeaders.CONNECTION, "close");
    }
    chain.doFilter(request, response);
  }

  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false; // a parked hold that is answered because of the farewell
  }
}
