package io.asyncflow.flowsvr.edge.web.filter;

import io.asyncflow.api.BareAnswer;
import io.asyncflow.api.TraceParent;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** The id of a request in the log: 32 hexadecimal digits. */
public final class TraceId {

  public static final String HEADER = BareAnswer.TRACE_ID;
  private static final String ATTRIBUTE = TraceId.class.getName();

  private TraceId() {}

  /** The trace id of the caller's W3C {@code traceparent} header, or a new one. */
  public static String of(HttpServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof String existing) {
      return existing;
    }
    String id =
        TraceParent.parse(request.getHeader(TraceParent.HEADER))
            .map(TraceParent::traceId)
            .orElseGet(TraceId::random);
    request.setAttribute(ATTRIBUTE, id);
    return id;
  }

  /** The caller's W3C {@code traceparent} header; {@code null} if it has no valid one. */
  public static String parentOf(HttpServletRequest request) {
    return TraceParent.validOrNull(request.getHeader(TraceParent.HEADER));
  }

  private static String random() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong() | 1); // never 0
  }
}
