package io.asyncflow.flowsvr.front.compat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A recorded session of an old client: its requests, and the answers that it expects.
 *
 * <p>Each exchange begins with a line {@code ### what happens}. The request follows: its method and
 * path, its content type if that is another than JSON, and its body in the lines below; then the
 * status of the answer, and its body. What differs from one server to another are digits with a
 * name: {@code <task>} stands for any digits when an answer names it for the first time, and from
 * then on for the same ones, also in requests. {@code <ms>} stands for any moment, {@code <s>} for
 * one in seconds, and {@code <date>} for one as text.
 */
record Recording(List<Exchange> exchanges) {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String BEGIN = "### ";
  private static final String CONTENT_TYPE = "Content-Type: ";
  private static final Pattern STATUS = Pattern.compile("[1-5][0-9]{2}");
  private static final Pattern NAMED = Pattern.compile("<([a-z0-9]+)>");
  private static final String DATE = "2[0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\\.[0-9]+)?Z";

  /**
   * @param body empty if there is none
   */
  record Exchange(
      String what,
      String method,
      String path,
      String contentType,
      String body,
      int status,
      JsonNode answer) {

    private static Exchange parse(String text) {
      List<String> lines = Arrays.stream(text.split("\n")).map(String::strip).toList();
      List<String> request =
          lines.stream().skip(1).takeWhile(line -> !STATUS.matcher(line).matches()).toList();
      int status = 1 + request.size();
      String[] first = request.get(0).split(" ", 2);
      boolean hasType = request.size() > 1 && request.get(1).startsWith(CONTENT_TYPE);
      return new Exchange(
          lines.get(0),
          first[0],
          first[1],
          hasType
              ? request.get(1).substring(CONTENT_TYPE.length())
              : "application/json; charset=utf-8",
          String.join("", request.subList(hasType ? 2 : 1, request.size())),
          Integer.parseInt(lines.get(status)),
          JSON.readTree(String.join("", lines.subList(status + 1, lines.size()))));
    }
  }

  /** The session of this file among the resources. */
  static Recording of(String file) {
    try (InputStream in = Recording.class.getResourceAsStream("/old-clients/" + file)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return new Recording(
          Stream.of(text.split("(?m)^" + BEGIN)).skip(1).map(Exchange::parse).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the names of a session stand for, while it is replayed. Not thread-safe. */
  static final class Names {

    private final Map<String, String> digits = new HashMap<>();

    /** The text with the digits for its names. */
    String filled(String text) {
      return NAMED.matcher(text).replaceAll(name -> digits.get(name.group(1)));
    }

    /** Where the answer differs from the expected one; empty if it does not. */
    List<String> differences(JsonNode expected, JsonNode answer) {
      List<String> found = new ArrayList<>();
      compare("", expected, answer, found);
      return found;
    }

    private void compare(String path, JsonNode expected, JsonNode answer, List<String> found) {
      boolean isSame =
          switch (expected.getNodeType()) {
            case OBJECT -> {
              if (!answer.isObject() || !names(expected).equals(names(answer))) {
                yield false;
              }
              expected
                  .properties()
                  .forEach(
                      member ->
                          compare(
                              path + "/" + member.getKey(),
                              member.getValue(),
                              answer.get(member.getKey()),
                              found));
              yield true;
            }
            case ARRAY -> {
              if (!answer.isArray() || answer.size() != expected.size()) {
                yield false;
              }
              for (int i = 0; i < expected.size(); i++) {
                compare(path + "/" + i, expected.get(i), answer.get(i), found);
              }
              yield true;
            }
            case STRING -> isText(expected.asString(), answer);
            default -> expected.equals(answer);
          };
      if (!isSame) {
        found.add(path + ": " + answer + " instead of " + expected);
      }
    }

    private static List<String> names(JsonNode object) {
      return object.propertyNames().stream().sorted().toList();
    }

    private boolean isText(String expected, JsonNode answer) {
      switch (expected) {
        case "<ms>":
          return answer.isNumber() && answer.asLong() > 1_600_000_000_000L;
        case "<s>":
          return answer.isNumber() && answer.asLong() / 1_000_000_000 == 1;
        case "<date>":
          return answer.isString() && answer.asString().matches(DATE);
        default:
          // names
      }
      List<String> names =
          NAMED.matcher(expected).results().map((MatchResult name) -> name.group(1)).toList();
      String pattern =
          Arrays.stream(NAMED.split(expected, -1))
              .map(Pattern::quote)
              .reduce((left, right) -> left + "(\\d+)" + right)
              .orElseThrow();
      Matcher matcher = Pattern.compile(pattern).matcher(answer.asString(""));
      if (!answer.isString() || !matcher.matches()) {
        return false;
      }
      boolean isSame = true;
      for (int i = 0; i < names.size(); i++) {
        String known = digits.putIfAbsent(names.get(i), matcher.group(i + 1));
        isSame &= known == null || known.equals(matcher.group(i + 1));
      }
      return isSame;
    }
  }
}
