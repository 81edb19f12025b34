package io.asyncflow.flowsvr.web.guard;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.web.error.ApiError;
import io.asyncflow.flowsvr.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.web.filter.FilterOrder;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses a path that reads differently as it was sent and as Tomcat has decoded and normalized it:
 * with {@code ..}, {@code //}, {@code ;x} or a percent sign.
 *
 * <p>Filters see the latter and Spring routes by the former, so such a path could pass as health
 * and reach a route that wants a key. No route of ours has a name that must be encoded.
 */
@Component
@Order(FilterOrder.PATH)
class PlainPathFilter extends OncePerRequestFilter {

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String normalized =
        request.getContextPath()
            + request.getServletPath()
            + Objects.toString(request.getPathInfo(), "");
    if (normalized.equals(request.getRequestURI())) {
      chain.doFilter(request, response);
    } else {
      ApiErrorWriter.write(
          request,
          response,
          ApiError.of(
              ErrorCode.INVALID_INPUT,
              "the path must be written as it is: without .., //, semicolons and percent signs"));
    }
  }
}
