package io.asyncflow.flowsvr.web.filter;

import jakarta.servlet.http.HttpServletRequest;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The id of a request in the log: 32 hexadecimal digits. */
public final class TraceId {

  public static final String HEADER = "X-Trace-Id";
  private static final String ATTRIBUTE = TraceId.class.getName();
  private static final Pattern TRACEPARENT =
      Pattern.compile(
          "(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  private TraceId() {}

  /** The trace id of the caller's W3C {@code traceparent} header, or a new one. */
  public static String of(HttpServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof String existing) {
      return existing;
    }
    String id = parse(request.getHeader("traceparent"));
    request.setAttribute(ATTRIBUTE, id);
    return id;
  }

  private static String parse(String traceparent) {
    if (traceparent != null) {
      Matcher matcher = TRACEPARENT.matcher(traceparent);
      if (matcher.matches()) {
        return matcher.group(1);
      }
    }
    ThreadLocalRandom random = ThreadLocalRandom.current();
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong() | 1); // never 0
  }
}
