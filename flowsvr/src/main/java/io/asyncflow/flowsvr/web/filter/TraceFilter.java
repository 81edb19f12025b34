package io.asyncflow.flowsvr.web.filter;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.MDC;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Sets the trace id of each request in the log context and in the answer's header. */
@Component
@Order(FilterOrder.EVERY_ANSWER)
class TraceFilter extends OncePerRequestFilter {

  private static final String MDC_KEY = "traceId";

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String traceId = TraceId.of(request);
    response.setHeader(TraceId.HEADER, traceId);
    MDC.put(MDC_KEY, traceId);
    try {
      chain.doFilter(request, response);
    } finally {
      MDC.remove(MDC_KEY);
    }
  }

  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false; // a parked hold continues on another thread
  }

  @Override
  protected boolean shouldNotFilterErrorDispatch() {
    return false;
  }
}
