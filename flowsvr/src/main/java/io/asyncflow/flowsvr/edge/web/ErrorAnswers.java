package io.asyncflow.flowsvr.edge.web;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Causes;
import io.asyncflow.flowsvr.edge.web.error.ApiError;
import io.asyncflow.flowsvr.edge.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.edge.web.error.DatabaseDownException;
import io.asyncflow.flowsvr.edge.web.error.RateExceededException;
import io.asyncflow.flowsvr.edge.web.load.UndeliveredAnswers;
import io.asyncflow.flowsvr.edge.web.load.WaitingRequests;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.connector.ClientAbortException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

/** Turns every exception of a controller into an answer. */
@RestControllerAdvice
class ErrorAnswers {

  private static final Logger log = LoggerFactory.getLogger(ErrorAnswers.class);

  @ExceptionHandler
  void answer(Throwable failure, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (isClientGone(failure)) {
      log.info("{} {}: the client is gone", request.getMethod(), request.getRequestURI());
      UndeliveredAnswers.undo(request, null);
      return;
    }
    ApiError refusal = ApiError.of(failure);
    log(refusal, request, failure);
    if (failure instanceof ErrorResponse withHeaders) { // such as Allow
      withHeaders
          .getHeaders()
          .forEach((name, values) -> values.forEach(value -> response.setHeader(name, value)));
    }
    if (failure instanceof RateExceededException tooFast) {
      long seconds = tooFast.retryAfter().plusMillis(999).toSeconds();
      response.setHeader(HttpHeaders.RETRY_AFTER, String.valueOf(seconds));
    }
    if (failure instanceof WaitingRequests.FullException
        || refusal.code() == ErrorCode.UNAVAILABLE) { // the next call may reach a server that can
      response.setHeader(HttpHeaders.CONNECTION, "close");
    }
    ApiErrorWriter.write(request, response, refusal);
  }

  private static void log(ApiError refusal, HttpServletRequest request, Throwable failure) {
    String method = request.getMethod();
    String path = request.getRequestURI();
    if (refusal.code() == ErrorCode.INTERNAL) {
      log.error("{} {}: 8099, a bug; the answer contains no details", method, path, failure);
    } else if (failure instanceof DatabaseDownException) {
      log.debug(
          "{} {}: {}", method, path, refusal.message()); // DatabaseWatch has logged the outage
    } else if (refusal.httpStatus() >= 500) {
      String cause = NestedExceptionUtils.getMostSpecificCause(failure).toString();
      log.warn("{} {}: {} {} ({})", method, path, refusal.code().code(), refusal.message(), cause);
    } else {
      log.info("{} {}: {} {}", method, path, refusal.code().code(), refusal.message());
    }
  }

  /**
   * True only for the exceptions with which Tomcat and Spring report a broken client connection.
   * Spring's own helper also matches a connection that the database has closed; such a request
   * would then get no answer.
   */
  private static boolean isClientGone(Throwable failure) {
    if (failure instanceof FlowException) {
      return false; // the body is incomplete, but the client may still read the answer
    }
    return Causes.of(failure)
        .anyMatch(
            t -> t instanceof ClientAbortException || t instanceof AsyncRequestNotUsableException);
  }
}
