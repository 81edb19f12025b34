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
 * Refuses a path whose raw form differs from the form that Tomcat decoded and normalized: a path
 * with {@code ..}, {@code //}, {@code ;x} or a percent sign.
 *
 * <p>Filters see the normalized path and Spring routes by the raw path, so such a path could pass
 * as health and reach a route that requires a key. No route of this server needs encoding.
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
