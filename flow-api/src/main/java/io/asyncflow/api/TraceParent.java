package io.asyncflow.api;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The value of a W3C {@code traceparent} header: which trace a call belongs to, and which span of
 * it has made the call.
 *
 * @param text such as {@code 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01}
 */
public record TraceParent(String text) {

  /** The name of the header. */
  public static final String HEADER = "traceparent";

  private static final Pattern FORM =
      Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  private static final int SHORT_ID = 16;
  private static final int TRACE_ID = 3;
  private static final int SPAN_ID = 36;
  private static final int FLAGS = 53;
  private static final int HEXADECIMAL = 16;

  /**
   * @throws IllegalArgumentException if the text has not the form of the specification
   */
  public TraceParent {
    if (!isValid(text)) {
      throw new IllegalArgumentException("no traceparent: " + OneLine.of("" + text));
    }
  }

  /**
   * Parses a header. As the specification demands, a value of another form counts as none.
   *
   * @param header {@code null} for none
   */
  public static Optional<TraceParent> parse(String header) {
    return isValid(header) ? Optional.of(new TraceParent(header)) : Optional.empty();
  }

  /**
   * As {@link #parse}, for code that hands on the text.
   *
   * @param header {@code null} for none
   * @return the header, or {@code null} if it counts as none
   */
  public static String validOrNull(String header) {
    return isValid(header) ? header : null;
  }

  /**
   * The value for calls that a span makes; empty if one of its ids is invalid, as those of a tracer
   * that is off.
   *
   * @param traceId 32 hexadecimal digits, or 16 as in some older systems
   * @param isSampled whether the span is recorded
   */
  public static Optional<TraceParent> of(String traceId, String spanId, boolean isSampled) {
    String wholeId = traceId.length() == SHORT_ID ? "0".repeat(SHORT_ID) + traceId : traceId;
    return parse("00-" + wholeId + "-" + spanId + (isSampled ? "-01" : "-00"));
  }

  private static boolean isValid(String text) {
    return text != null && FORM.matcher(text).matches();
  }

  /** The id of the trace, 32 hexadecimal digits. */
  public String traceId() {
    return text.substring(TRACE_ID, SPAN_ID - 1);
  }

  /** The id of the span that has made the call, 16 hexadecimal digits. */
  public String spanId() {
    return text.substring(SPAN_ID, FLAGS - 1);
  }

  /** Whether the caller records its span. */
  public boolean isSampled() {
    return (Integer.parseInt(text.substring(FLAGS), HEXADECIMAL) & 1) == 1;
  }

  @Override
  public String toString() {
    return text;
  }
}
