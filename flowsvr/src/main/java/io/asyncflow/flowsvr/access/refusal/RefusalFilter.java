package io.asyncflow.flowsvr.access.refusal;

import io.asyncflow.flowsvr.web.error.ApiErrorWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.springframework.web.filter.GenericFilterBean;

/** Notes the refusals behind it, wherever they came from: a filter, a route or a controller. */
public class RefusalFilter extends GenericFilterBean {

  private final RefusedRequests refused;

  public RefusalFilter(RefusedRequests refused) {
    this.refused = refused;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    chain.doFilter(request, response);
    Refusal.of(ApiErrorWriter.codeOf((HttpServletRequest) request))
        .ifPresent(refusal -> refused.count(request.getRemoteAddr(), refusal));
  }
}
