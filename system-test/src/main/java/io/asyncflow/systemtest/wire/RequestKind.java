package io.asyncflow.systemtest.wire;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells one kind of request on a wire from all others, and where such a request ends. Each
 * character that it is given is a byte.
 */
interface RequestKind {

  Pattern CONTENT_LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d+)");

  /** Whether a request whose first piece this is belongs to the kind. */
  boolean begins(String piece);

  /** Whether nothing of a request is missing that belongs to the kind. */
  boolean isWhole(String request);

  /**
   * HTTP/1.1.
   *
   * @param requestLine how such requests begin
   */
  static RequestKind http(String requestLine) {
    return new RequestKind() {
      @Override
      public boolean begins(String piece) {
        return piece.startsWith(requestLine);
      }

      @Override
      public boolean isWhole(String request) {
        int body = request.indexOf("\r\n\r\n") + 4;
        if (body < 4) {
          return false;
        }
        Matcher length = CONTENT_LENGTH.matcher(request.substring(0, body));
        return !length.find() || request.length() - body >= Integer.parseInt(length.group(1));
      }
    };
  }

  /**
   * A statement in a packet of MySQL's protocol, which begins with its length in three bytes and
   * its number in one.
   *
   * @param part of the text of such statements
   */
  static RequestKind statement(String part) {
    return new RequestKind() {
      @Override
      public boolean begins(String piece) {
        return piece.contains(part);
      }

      @Override
      public boolean isWhole(String request) {
        int length = request.charAt(0) | request.charAt(1) << 8 | request.charAt(2) << 16;
        return request.length() >= 4 + length;
      }
    };
  }
}
