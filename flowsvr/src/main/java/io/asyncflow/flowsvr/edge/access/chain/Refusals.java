package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.frame.ErrorPages;
import io.asyncflow.flowsvr.edge.access.refusal.Refusal;
import io.asyncflow.flowsvr.edge.access.refusal.RefusedRequests;
import io.asyncflow.flowsvr.edge.access.site.RequestSite;
import io.asyncflow.flowsvr.edge.web.error.ApiError;
import io.asyncflow.flowsvr.edge.web.error.ApiErrorWriter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authorization.AuthorizationDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.security.web.firewall.RequestRejectedHandler;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Answers what the chain refuses, in the form of all errors. */
@Component
class Refusals implements RequestRejectedHandler, AuthenticationEntryPoint, AccessDeniedHandler {

  private final RefusedRequests refused;
  private final HandlerExceptionResolver errors;
  private final ObjectProvider<Routes> routes;
  private final ObjectProvider<ErrorPages> console;

  /**
   * @param errors answers as if a controller had thrown
   * @param console nothing if there is no console
   */
  Refusals(
      RefusedRequests refused,
      ObjectProvider<Routes> routes,
      ObjectProvider<ErrorPages> console,
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver errors) {
    this.refused = refused;
    this.routes = routes;
    this.console = console;
    this.errors = errors;
  }

  /** The firewall's: it is set up to look at the path alone. */
  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, RequestRejectedException rejected)
      throws IOException {
    ApiErrorWriter.write(
        request,
        response,
        ApiError.of(
            ErrorCode.INVALID_INPUT,
            "the path must be written as it is: without .., //, semicolons and percent signs"));
  }

  /** No caller: not logged one by one, for anybody can cause it. */
  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException none)
      throws IOException {
    FlowException refusal = CallerFilter.refusalOf(request);
    if (isForABrowser(request)) {
      if (refusal == null) {
        console.getObject().leadToLogIn(request, response);
        return;
      }
      if (refusal.retryable()) {
        console.getObject().refuse(refusal, request, response);
        return;
      }
    }
    if (refusal != null // whose key it is cannot be found out now, or a page sent it
        && (refusal.retryable() || refusal.errorCode() == ErrorCode.CROSS_SITE)) {
      ApiErrorWriter.write(request, response, ApiError.of(refusal));
      return;
    }
    Duration refusedFor =
        refused.countTry(
            request.getRemoteAddr(), refusal == null ? Refusal.NO_KEY : Refusal.KEY_ENDED);
    if (refusedFor.isZero()) {
      ApiErrorWriter.write(
          request, response, refusal == null ? ApiError.ofStatus(401) : ApiError.of(refusal));
      return;
    }
    response.setHeader(HttpHeaders.RETRY_AFTER, String.valueOf(refusedFor.toSeconds() + 1));
    ApiErrorWriter.write(
        request,
        response,
        ApiError.of(
            ErrorCode.LIMIT_EXCEEDED,
            "too many requests without a valid key from your address: send one"
                + " as Authorization: Bearer <key>"));
  }

  /**
   * A page that somebody opens without a key, or a form of one whose session has ended; a program
   * that sends a wrong key, and a page of another site, get their refusals.
   */
  private boolean isForABrowser(HttpServletRequest request) {
    String method = request.getMethod();
    String accept = request.getHeader(HttpHeaders.ACCEPT);
    return console.getIfAvailable() != null
        && (method.equals("GET") || method.equals("POST") && !RequestSite.isForeign(request))
        && request.getHeader(HttpHeaders.AUTHORIZATION) == null
        && accept != null
        && accept.contains(MediaType.TEXT_HTML_VALUE)
        && routes.getObject().isPage(request);
  }

  /** A caller that may not, or a route that does not exist. */
  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException denied) {
    Exception reason =
        denied instanceof AuthorizationDeniedException decided
                && decided.getAuthorizationResult() instanceof Routes.Denial denial
            ? denial.reason()
            : denied;
    errors.resolveException(request, response, null, reason);
  }
}
