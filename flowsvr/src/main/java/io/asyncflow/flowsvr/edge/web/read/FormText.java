package io.asyncflow.flowsvr.edge.web.read;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.StringTokenizer;
import org.springframework.util.StringUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Parses query strings and form bodies into the equivalent JSON object: {@code taskData.user_id=u1}
 * is {@code {"taskData":{"user_id":"u1"}}}, and a repeated name makes an array.
 *
 * <p>The servlet container's parser is not used, because it silently drops parameters that it
 * cannot decode.
 */
final class FormText {

  private static final int MAX_FIELDS = 1_000;
  private static final int MAX_DEPTH = 32;

  private final ErrorCode whenBad;
  private final ObjectNode fields = JsonNodeFactory.instance.objectNode();

  private FormText(ErrorCode whenBad) {
    this.whenBad = whenBad;
  }

  /** The fields of the part of a URL after the question mark; {@code null} has none. */
  static ObjectNode ofQuery(String query) {
    return new FormText(ErrorCode.INVALID_INPUT).read(query == null ? "" : query);
  }

  static ObjectNode ofBody(byte[] body) {
    return new FormText(ErrorCode.MALFORMED_BODY).read(new String(body, ISO_8859_1));
  }

  /**
   * @param text a character for each byte
   */
  private ObjectNode read(String text) {
    StringTokenizer pairs = new StringTokenizer(text, "&"); // makes nothing of a million of them
    for (int count = 1; pairs.hasMoreTokens(); count++) {
      if (count > MAX_FIELDS) {
        throw unreadable("there are more than " + MAX_FIELDS + " fields");
      }
      String[] field = pairs.nextToken().split("=", 2);
      put(decode(field[0]), field.length < 2 ? "" : decode(field[1]));
    }
    return fields;
  }

  private void put(String name, String value) {
    String[] path = name.split("\\.", -1);
    if (path.length > MAX_DEPTH) {
      throw unreadable("a field's name has more than " + MAX_DEPTH + " parts");
    }
    ObjectNode parent = fields;
    for (int i = 0; i < path.length - 1; i++) {
      JsonNode child = parent.get(path[i]);
      if (child == null) {
        parent = parent.putObject(path[i]);
      } else if (child instanceof ObjectNode object) {
        parent = object;
      } else {
        throw unreadable("a field is given as a value and as an object: " + shown(path[i]));
      }
    }
    putValue(parent, path[path.length - 1], value);
  }

  private void putValue(ObjectNode parent, String name, String value) {
    JsonNode existing = parent.get(name);
    if (existing == null) {
      parent.put(name, value);
    } else if (existing instanceof ArrayNode values) {
      values.add(value);
    } else if (existing instanceof ObjectNode) {
      throw unreadable("a field is given as a value and as an object: " + shown(name));
    } else {
      parent.putArray(name).add(existing).add(value);
    }
  }

  private String decode(String text) {
    try {
      String bytes = StringUtils.uriDecode(text.replace('+', ' '), ISO_8859_1);
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.getBytes(ISO_8859_1))).toString();
    } catch (IllegalArgumentException e) {
      throw unreadable("a percent sign is not followed by two hexadecimal digits");
    } catch (CharacterCodingException e) {
      throw unreadable("a field is not UTF-8");
    }
  }

  private static String shown(String name) {
    return Printable.of(name, Fields.MAX_NAME);
  }

  private FlowException unreadable(String why) {
    String where = whenBad == ErrorCode.MALFORMED_BODY ? "the form" : "the query string";
    return new FlowException(whenBad, where + " cannot be read: " + why);
  }
}
