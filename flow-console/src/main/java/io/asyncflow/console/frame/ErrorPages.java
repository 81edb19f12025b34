package io.asyncflow.console.frame;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.OpenToAll;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
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

/** Shows what was refused, and what failed, as a page. */
@ControllerAdvice(basePackageClasses = OpenToAll.class)
@Order(Ordered.HIGHEST_PRECEDENCE)
public class ErrorPages {

  private static final Logger log = LoggerFactory.getLogger(ErrorPages.class);

  /**
   * Why something could not be shown or done.
   *
   * @param status of HTTP
   * @param code of the API
   * @param message as the API says it
   * @param kind the key of the sentence that says what to do
   * @param traceId empty if there is none
   * @param isAskedAgain whether the page asks by itself until there is an answer
   * @param isOfForm whether it answers a form, so that there is a page to go back to
   * @param reason that was typed in the form; empty if none was
   */
  public record View(
      int status,
      int code,
      String message,
      List<FieldError> errors,
      String kind,
      String traceId,
      boolean isAskedAgain,
      boolean isOfForm,
      String reason) {}

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
    Frame frame = frames.ofAnybody(request);
    String to = sent(request, "to");
    if (isForm(request) && frame.urls().isOwn(to)) {
      frame = frame.openedBy(to);
    }
    return show(frame, failure, request, sent(request, "reason"));
  }

  /**
   * Shows why the caller of a request cannot be found out now. It may come from anybody, so nothing
   * is read of what it sends.
   */
  public void refuse(FlowException why, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    PageGuard.setPolicy(request, response);
    ResponseEntity<byte[]> page = show(frames.ofNobody(request), why, request, null);
    response.setStatus(page.getStatusCode().value());
    page.getHeaders().forEach((name, values) -> response.setHeader(name, values.get(0)));
    response.getOutputStream().write(page.getBody());
  }

  /**
   * Leads somebody without a session to the log-in, and from there to the page that was asked for,
   * or on which a form stands that does nothing now. Reads nothing of the form.
   */
  public void leadToLogIn(HttpServletRequest request, HttpServletResponse response) {
    Urls urls = frames.urls(request);
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    response.setStatus(HttpServletResponse.SC_SEE_OTHER);
    response.setHeader(
        HttpHeaders.LOCATION, urls.logIn(urls.opening(request), isForm(request) ? "ended" : ""));
  }

  /**
   * @param reason that was typed in a form; {@code null} if there is none
   */
  private ResponseEntity<byte[]> show(
      Frame frame, Throwable failure, HttpServletRequest request, String reason) {
    View view = view(failure, request, reason);
    ResponseEntity<byte[]> page = pages.show(frame, "error", view, view.status());
    HttpHeaders headers = new HttpHeaders(page.getHeaders());
    if (isRetryable(failure)) {
      headers.set(HttpHeaders.RETRY_AFTER, "1");
    }
    return new ResponseEntity<>(page.getBody(), headers, page.getStatusCode());
  }

  /** A field of a form; {@code null} if the form has none, or cannot be read. */
  private static String sent(HttpServletRequest request, String name) {
    try {
      return request.getParameter(name);
    } catch (RuntimeException unreadable) { // which has been told, or is the failure
      return null;
    }
  }

  private static boolean isForm(HttpServletRequest request) {
    return request.getMethod().equals("POST");
  }

  private static boolean isRetryable(Throwable failure) {
    return failure instanceof FlowException refused && refused.retryable();
  }

  private static View view(Throwable failure, HttpServletRequest request, String reason) {
    int status = 500;
    ErrorCode code = ErrorCode.INTERNAL;
    String message = "";
    List<FieldError> errors = List.of();
    if (failure instanceof FlowException refused) {
      code = refused.errorCode();
      status = code.httpStatus();
      message = refused.getMessage();
      errors = refused.errors();
    } else if (failure instanceof ErrorResponse known && known.getStatusCode().is4xxClientError()) {
      code = ErrorCode.INVALID_INPUT;
      status = known.getStatusCode().value();
    } else {
      log.error(
          "{} {}: a bug of the console", request.getMethod(), request.getRequestURI(), failure);
    }
    boolean isForm = isForm(request);
    return new View(
        status,
        code.code(),
        message,
        errors,
        code == ErrorCode.CROSS_SITE ? "stale" : kind(status),
        Objects.toString(MDC.get("traceId"), ""),
        isRetryable(failure) && !isForm, // a form is for its sender to send again
        isForm,
        isForm ? Objects.toString(reason, "").strip() : "");
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
