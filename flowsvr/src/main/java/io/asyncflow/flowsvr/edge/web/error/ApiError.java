package io.asyncflow.flowsvr.edge.web.error;

import static java.util.stream.Collectors.joining;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import java.util.List;
import java.util.Optional;
import org.apache.coyote.BadRequestException;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;

/**
 * The error that answers a request.
 *
 * @param code the error code for clients
 * @param httpStatus the status of the code, unless HTTP has a more specific one (404 and 405 of
 *     routes)
 * @param outcomeUnknown whether the request may have changed something all the same
 * @param ground what the error names in a member of its own; {@code null} for none
 */
public record ApiError(
    ErrorCode code,
    int httpStatus,
    String message,
    List<FieldError> errors,
    boolean outcomeUnknown,
    GroundedException ground) {

  /** The error for any throwable of a request's processing. */
  public static ApiError of(Throwable failure) {
    if (failure instanceof FlowException e) {
      return new ApiError(
          e.errorCode(),
          e.errorCode().httpStatus(),
          e.getMessage(),
          e.errors(),
          false,
          e instanceof GroundedException grounded ? grounded : null);
    }
    Optional<ApiError> database = DatabaseTrouble.explain(failure);
    if (database.isPresent()) {
      return database.get();
    }
    if (failure instanceof BadRequestException) { // a body that violates HTTP, such as bad chunks
      return of(ErrorCode.MALFORMED_BODY, "the body cannot be read: " + failure.getMessage());
    }
    if (failure instanceof AsyncRequestTimeoutException) {
      return of(ErrorCode.UNAVAILABLE, "no answer was found in time");
    }
    if (failure instanceof HttpRequestMethodNotSupportedException e
        && e.getSupportedHttpMethods() != null) {
      return invalid(
          405,
          "the route does not take "
              + e.getMethod()
              + ", but "
              + e.getSupportedHttpMethods().stream()
                  .map(HttpMethod::name)
                  .sorted()
                  .collect(joining(" and ")));
    }
    if (failure instanceof ErrorResponse e && e.getStatusCode().is4xxClientError()) {
      return ofStatus(e.getStatusCode().value());
    }
    return internal();
  }

  public static ApiError of(ErrorCode code, String message) {
    return new ApiError(code, code.httpStatus(), message, List.of(), false, null);
  }

  /**
   * The error of a request that was refused before it reached a controller, by its HTTP status
   * alone.
   */
  public static ApiError ofStatus(int status) {
    return switch (status) {
      case 401 ->
          of(ErrorCode.NOT_AUTHENTICATED, "no valid key: send one as Authorization: Bearer <key>");
      case 403 -> of(ErrorCode.NOT_PERMITTED, "not permitted");
      case 404 -> invalid(status, "there is no such route");
      case 405 -> invalid(status, "the route does not take this method");
      case 413 -> of(ErrorCode.TOO_LARGE, "the request is too large");
      case 415 -> of(ErrorCode.MALFORMED_BODY, "the route does not accept the body's content type");
      case 429 -> of(ErrorCode.LIMIT_EXCEEDED, "too many requests");
      // An unknown HTTP version or transfer encoding: the client's fault, despite Tomcat's 5xx
      // status.
      case 501, 505 -> invalid(400, reason(status));
      case 503 -> of(ErrorCode.UNAVAILABLE, "the server is starting or stopping");
      default -> status >= 400 && status < 500 ? invalid(status, reason(status)) : internal();
    };
  }

  static ApiError internal() {
    return of(ErrorCode.INTERNAL, "a bug in the server; its log has the details");
  }

  private static ApiError invalid(int status, String message) {
    return new ApiError(ErrorCode.INVALID_INPUT, status, message, List.of(), false, null);
  }

  private static String reason(int status) {
    HttpStatus resolved = HttpStatus.resolve(status);
    String reason = resolved == null ? "refused" : resolved.getReasonPhrase();
    return "the request is not good HTTP: " + reason;
  }
}
