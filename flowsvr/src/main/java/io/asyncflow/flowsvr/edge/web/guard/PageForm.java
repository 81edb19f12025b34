package io.asyncflow.flowsvr.edge.web.guard;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Causes;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.MediaType;

/**
 * The parameters of a form that a page sends, and of its address. Tomcat would read such a body
 * itself, below every limit of ours; the calls of the API read their bodies themselves.
 */
final class PageForm {

  /** A key, a reason and all settings of a type are far less. */
  static final int MOST_BYTES = 64 * 1024;

  private static final int MOST_FIELDS = 1_000;

  private final Map<String, String[]> fields = new LinkedHashMap<>();
  private int count;

  private PageForm() {}

  /** Whether Tomcat would read the body for its parameters. */
  static boolean isIn(HttpServletRequest request) {
    String type = request.getContentType();
    return request.getMethod().equals("POST")
        && type != null
        && type.split(";")[0].strip().equalsIgnoreCase(MediaType.APPLICATION_FORM_URLENCODED_VALUE);
  }

  /**
   * The values of each parameter; those of the address come first.
   *
   * @param body read to its end
   * @throws FlowException with {@link ErrorCode#TOO_LARGE}, {@link ErrorCode#BODY_TOO_SLOW} or
   *     {@link ErrorCode#MALFORMED_BODY}
   */
  static Map<String, String[]> read(HttpServletRequest request, InputStream body) {
    if (request.getContentLengthLong() > MOST_BYTES) {
      throw tooLarge();
    }
    PageForm form = new PageForm();
    form.add(request.getQueryString());
    try (InputStream in = new BoundedInput(body, MOST_BYTES)) {
      form.add(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (BoundedInput.TooLongException e) {
      throw tooLarge();
    } catch (IOException e) {
      throw Causes.first(SocketTimeoutException.class, e).isPresent()
          ? ClientPace.tooSlow(e)
          : malformed("it broke off", e);
    }
    return form.fields;
  }

  /**
   * @param text {@code null} for nothing
   */
  private void add(String text) {
    for (String pair : Optional.ofNullable(text).orElse("").split("&")) {
      if (pair.isEmpty()) {
        continue;
      }
      if (++count > MOST_FIELDS) {
        throw malformed("there are more than " + MOST_FIELDS + " fields", null);
      }
      int equals = pair.indexOf('=');
      add(
          decoded(equals < 0 ? pair : pair.substring(0, equals)),
          equals < 0 ? "" : decoded(pair.substring(equals + 1)));
    }
  }

  private void add(String name, String value) {
    String[] known = fields.getOrDefault(name, new String[0]);
    String[] more = Arrays.copyOf(known, known.length + 1);
    more[known.length] = value;
    fields.put(name, more);
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw malformed("a percent sign is not followed by two hexadecimal digits", e);
    }
  }

  private static FlowException tooLarge() {
    return new FlowException(
        ErrorCode.TOO_LARGE, "the form is larger than " + MOST_BYTES + " bytes");
  }

  private static FlowException malformed(String why, Throwable cause) {
    return new FlowException(
        ErrorCode.MALFORMED_BODY, "the form cannot be read: " + why, List.of(), cause);
  }
}
