package io.asyncflow.console.frame;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.OpenToAll;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.util.DisconnectedClientHelper;

/** Shows what a call refused, and what failed, as a page. */
@ControllerAdvice(basePackageClasses = OpenToAll.class)
@Order(Ordered.HIGHEST_PRECEDENCE)
public class ErrorPages {

  private static final Logger log = LoggerFactory.getLogger(ErrorPages.class);

  private final Pages pages;
  private final Frames frames;

  public ErrorPages(Pages pages, Frames frames) {
    this.pages = pages;
    this.frames = frames;
  }

  /**
   * @return {@code null} if the caller has left, who would not see it
   */
  @ExceptionHandler
  public ResponseEntity<byte[]> answer(Throwable failure, HttpServletRequest request) {
    if (DisconnectedClientHelper.isClientDisconnectedException(failure)) {
      return null;
    }
    ErrorView view = view(failure, request);
    ResponseEntity<byte[]> page =
        pages.show(frames.ofAnybody(request), "error", view, view.status());
    return isRetryable(failure)
        ? ResponseEntity.status(page.getStatusCode())
            .headers(page.getHeaders())
            .header(HttpHeaders.RETRY_AFTER, "1")
            .body(page.getBody())
        : page;
  }

  private static boolean isRetryable(Throwable failure) {
    return failure instanceof FlowException refused && refused.retryable();
  }

  private static ErrorView view(Throwable failure, HttpServletRequest request) {
    if (failure instanceof FlowException refused) {
      ErrorCode code = refused.errorCode();
      // A form is for its sender to send again.
      boolean isAskedAgain = refused.retryable() && request.getMethod().equals("GET");
      return view(
          code.httpStatus(), code.code(), refused.getMessage(), refused.errors(), isAskedAgain);
    }
    if (failure instanceof ErrorResponse known && known.getStatusCode().is4xxClientError()) {
      int status = known.getStatusCode().value();
      return view(status, ErrorCode.INVALID_INPUT.code(), "", List.of(), false);
    }
    log.error("{} {}: a bug of the console", request.getMethod(), request.getRequestURI(), failure);
    return view(500, ErrorCode.INTERNAL.code(), "", List.of(), false);
  }

  private static ErrorView view(
      int status, int code, String message, List<FieldError> errors, boolean isAskedAgain) {
    String traceId = MDC.get("traceId");
    return new ErrorView(
        status, code, message, errors, kind(status), traceId == null ? "" : traceId, isAskedAgain);
  }

  private static String kind(int status) {
    return switch (status) {
      case 401, 403 -> "refused";
      case 404 -> "missing";
      case 409 -> "conflict";
      case 429, 503 -> "busy";
      default -> status < 500 ? "invalid" : "broken";
    };
  }
}
