package io.asyncflow.flowsvr.edge.web.error;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.edge.web.filter.TraceId;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.util.InvalidMimeTypeException;
import org.springframework.util.MimeTypeUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes error answers for requests refused in a controller, in a filter, or in Tomcat before
 * either runs.
 */
public final class ApiErrorWriter {

  private static final int RETRY_AFTER_SECONDS = 1;
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String CODE = ApiErrorWriter.class.getName() + ".code";

  private ApiErrorWriter() {}

  /** Does nothing if the response is committed. */
  public static void write(
      HttpServletRequest request, HttpServletResponse response, ApiError refusal)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    request.setAttribute(CODE, refusal.code());
    String traceId = TraceId.of(request);
    byte[] body = JSON.writeValueAsBytes(ErrorBody.of(refusal, path(request), traceId));
    response.resetBuffer();
    response.setStatus(refusal.httpStatus());
    response.setHeader(TraceId.HEADER, traceId);
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    if (refusal.code().retryable() && !response.containsHeader(HttpHeaders.RETRY_AFTER)) {
      response.setHeader(HttpHeaders.RETRY_AFTER, String.valueOf(RETRY_AFTER_SECONDS));
    }
    if (refusal.httpStatus() == HttpServletResponse.SC_UNAUTHORIZED) {
      response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
    }
    response.setContentType(contentType(request.getHeader(HttpHeaders.ACCEPT)));
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** The code of the error that answered the request; {@code null} if none did. */
  public static ErrorCode codeOf(HttpServletRequest request) {
    return (ErrorCode) request.getAttribute(CODE);
  }

  /** The path that the client requested, also after Tomcat's forward to the error route. */
  private static String path(HttpServletRequest request) {
    Object original = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
    return Objects.toString(original, Objects.toString(request.getRequestURI(), ""));
  }

  /**
   * {@code application/problem+json} only if the client accepts it by name: older clients expect
   * plain JSON.
   */
  private static String contentType(String accept) {
    return accept != null && wantsProblem(accept)
        ? MediaType.APPLICATION_PROBLEM_JSON_VALUE
        : MediaType.APPLICATION_JSON_VALUE;
  }

  private static boolean wantsProblem(String accept) {
    try {
      List<MediaType> accepted = MediaType.asMediaTypes(MimeTypeUtils.parseMimeTypes(accept));
      return accepted.stream()
          .anyMatch(
              type ->
                  type.equalsTypeAndSubtype(MediaType.APPLICATION_PROBLEM_JSON)
                      && type.getQualityValue() > 0);
    } catch (InvalidMimeTypeException e) {
      return false;
    }
  }
}
