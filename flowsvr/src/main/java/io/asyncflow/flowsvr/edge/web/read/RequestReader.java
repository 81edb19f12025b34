package io.asyncflow.flowsvr.edge.web.read;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Causes;
import io.asyncflow.flowsvr.edge.web.budget.Budget;
import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import io.asyncflow.flowsvr.edge.web.guard.BoundedInput;
import io.asyncflow.flowsvr.edge.web.guard.ClientPace;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.http.MediaType;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a request's query string and body, form or JSON, into one view.
 *
 * <p>The cost of a body is bounded while it is parsed: its bytes, its nesting and its number of
 * tokens, because a few bytes of JSON become objects of a hundred bytes.
 */
public final class RequestReader {

  static final int MAX_BODY_BYTES = 16 * 1024 * 1024;
  static final int MAX_DEPTH = 32;

  /** A body takes its budget in steps of so many bytes, each after they were read. */
  private static final int STEP_BYTES = 64 * 1024;

  /** What Jackson says of a source that it does not show. */
  private static final Pattern SOURCE =
      Pattern.compile(
          " ?\\(start marker at \\[Source: [^\\]]*\\]\\)| ?\\[Source: [^\\]]*(?:\\]|$)");

  private static final int MAX_TOKENS = 500_000;
  private static final int DECODED_AT_ONCE = 4_096;
  private static final int MAX_REASON = 200;

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxTokenCount(MAX_TOKENS)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .build();

  private RequestReader() {}

  /**
   * @param bodyBytes what there may be of all bodies at once
   * @throws FlowException with {@link ErrorCode#MALFORMED_BODY}, {@link ErrorCode#TOO_LARGE},
   *     {@link ErrorCode#LIMIT_EXCEEDED}, or {@link ErrorCode#INVALID_INPUT} if the query string
   *     cannot be read
   */
  static Fields read(HttpServletRequest request, Budget bodyBytes) {
    ObjectNode query = FormText.ofQuery(request.getQueryString());
    ObjectNode body = readBody(request, bodyBytes);
    return body == null ? Fields.of(List.of(query)) : Fields.of(List.of(query, body));
  }

  private static ObjectNode readBody(HttpServletRequest request, Budget bodyBytes) {
    if (request.getContentLengthLong() == 0) {
      return null;
    }
    if (request.getContentLengthLong() > MAX_BODY_BYTES) {
      throw tooLarge();
    }
    Exchange exchange = Exchange.of(request);
    // A body for which there is no room now is refused before it is read in vain.
    exchange.require(bodyBytes, request.getContentLengthLong() / STEP_BYTES * STEP_BYTES);
    try (InputStream in =
        new BoundedInput(
            request.getInputStream(),
            MAX_BODY_BYTES,
            STEP_BYTES,
            () -> exchange.take(bodyBytes, STEP_BYTES))) {
      byte[] body = in.readAllBytes();
      if (body.length == 0) {
        return null; // whatever its content type says
      }
      return isForm(request) ? readForm(body) : readJson(body);
    } catch (BoundedInput.TooLongException e) {
      throw tooLarge();
    } catch (IOException e) {
      throw brokenOff(e);
    }
  }

  /** A body without a content type counts as JSON. */
  private static boolean isForm(HttpServletRequest request) {
    if (request.getContentType() == null) {
      return false;
    }
    MediaType type;
    Charset charset;
    try {
      type = MediaType.parseMediaType(request.getContentType());
      charset = type.getCharset();
    } catch (IllegalArgumentException e) {
      throw malformed("its content type is none", e);
    }
    if (charset != null
        && !charset.equals(StandardCharsets.UTF_8)
        && !charset.equals(StandardCharsets.US_ASCII)) {
      throw malformed("its encoding must be UTF-8", null);
    }
    if (type.equalsTypeAndSubtype(MediaType.APPLICATION_FORM_URLENCODED)) {
      return true;
    }
    if (type.equalsTypeAndSubtype(MediaType.APPLICATION_JSON)
        || type.getSubtype().endsWith("+json")) {
      return false;
    }
    throw malformed("its content type must be application/json", null);
  }

  private static ObjectNode readForm(byte[] body) {
    if (body[0] == '{' || body[0] == '[') {
      throw malformed("it looks like JSON but its content type says form", null);
    }
    return FormText.ofBody(body);
  }

  private static ObjectNode readJson(byte[] body) {
    requireUtf8(body);
    JsonNode root;
    try {
      root = JSON.readTree(body);
    } catch (StreamConstraintsException e) {
      throw malformed(
          "it may have "
              + MAX_DEPTH
              + " levels, "
              + MAX_TOKENS
              + " tokens, and numbers of 1000 digits",
          e);
    } catch (MismatchedInputException e) { // the only mismatch when reading a tree
      throw malformed("something follows the JSON object", e);
    } catch (JacksonException e) {
      throw malformed(whereAndWhy(e), e);
    }
    if (root instanceof ObjectNode object) {
      return object;
    }
    throw malformed("it must be a JSON object", null);
  }

  /**
   * Refuses malformed UTF-8. Jackson is more lenient: it accepts overlong forms, which hide
   * characters from proxies that inspect the body, and guesses UTF-16 and UTF-32 from zero bytes. A
   * UTF-8 byte order mark is valid, and Jackson skips it.
   */
  private static void requireUtf8(byte[] body) {
    ByteBuffer in = ByteBuffer.wrap(body);
    CharBuffer out = CharBuffer.allocate(Math.min(body.length, DECODED_AT_ONCE));
    CharsetDecoder strict = StandardCharsets.UTF_8.newDecoder();
    CoderResult result;
    do {
      out.clear();
      result = strict.decode(in, out, true);
    } while (result.isOverflow());
    if (result.isError()) {
      throw malformed("it is not UTF-8, at byte " + in.position(), null);
    }
    if (body[0] == 0 || body.length > 1 && body[1] == 0) {
      throw malformed("its encoding must be UTF-8", null);
    }
  }

  private static String whereAndWhy(JacksonException e) {
    TokenStreamLocation location = e.getLocation();
    String where =
        location == null
            ? ""
            : "line " + location.getLineNr() + ", column " + location.getColumnNr();
    // Jackson quotes its input, which may be a name of 50,000 characters. So it is cut first: the
    // pattern needs the square of the time for a text that begins what it never ends.
    String why = SOURCE.matcher(Printable.of(e.getOriginalMessage(), MAX_REASON)).replaceAll("");
    return why + " (" + where + ")";
  }

  /** The error for an incomplete body, as a failed read or a 400 of Tomcat reports it. */
  public static FlowException brokenOff(IOException cause) {
    return Causes.first(SocketTimeoutException.class, cause).isPresent()
        ? ClientPace.tooSlow(cause)
        : malformed("it broke off", cause);
  }

  private static FlowException malformed(String why, Throwable cause) {
    return new FlowException(
        ErrorCode.MALFORMED_BODY, "the body cannot be read: " + why, List.of(), cause);
  }

  private static FlowException tooLarge() {
    return new FlowException(
        ErrorCode.TOO_LARGE, "the body is larger than " + MAX_BODY_BYTES + " bytes");
  }
}
