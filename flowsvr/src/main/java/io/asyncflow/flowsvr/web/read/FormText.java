package io.asyncflow.flowsvr.web.read;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
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

  private final byte[] text;
  private final ErrorCode whenBad;
  private final ObjectNode fields = JsonNodeFactory.instance.objectNode();
  private int fieldCount;

  private FormText(byte[] text, ErrorCode whenBad) {
    this.text = text;
    this.whenBad = whenBad;
  }

  /** The fields of the part of a URL after the question mark; {@code null} has none. */
  static ObjectNode ofQuery(String query) {
    byte[] text = query == null ? new byte[0] : query.getBytes(StandardCharsets.ISO_8859_1);
    return new FormText(text, ErrorCode.INVALID_INPUT).read();
  }

  static ObjectNode ofBody(byte[] body) {
    return new FormText(body, ErrorCode.MALFORMED_BODY).read();
  }

  private ObjectNode read() {
    int begin = 0;
    while (begin < text.length) {
      int end = indexOf('&', begin, text.length);
      if (end > begin) {
        readField(begin, end);
      }
      begin = end + 1;
    }
    return fields;
  }

  private void readField(int begin, int end) {
    if (++fieldCount > MAX_FIELDS) {
      throw unreadable("there are more than " + MAX_FIELDS + " fields");
    }
    int equals = indexOf('=', begin, end);
    put(decode(begin, equals), equals < end ? decode(equals + 1, end) : "");
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

  private String decode(int begin, int end) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(end - begin);
    for (int i = begin; i < end; i++) {
      if (text[i] == '+') {
        bytes.write(' ');
      } else if (text[i] == '%') {
        bytes.write(hexDigit(i + 1, end) << 4 | hexDigit(i + 2, end));
        i += 2;
      } else {
        bytes.write(text[i]);
      }
    }
    try {
      ByteBuffer encoded = ByteBuffer.wrap(bytes.toByteArray());
      return StandardCharsets.UTF_8.newDecoder().decode(encoded).toString();
    } catch (CharacterCodingException e) {
      throw unreadable("a field is not UTF-8");
    }
  }

  private int hexDigit(int index, int end) {
    int digit = index < end ? Character.digit(text[index], 16) : -1;
    if (digit < 0) {
      throw unreadable("a percent sign is not followed by two hexadecimal digits");
    }
    return digit;
  }

  private int indexOf(char character, int begin, int end) {
    for (int i = begin; i < end; i++) {
      if (text[i] == character) {
        return i;
      }
    }
    return end;
  }

  private static String shown(String name) {
    return Printable.of(name, Fields.MAX_NAME);
  }

  private FlowException unreadable(String why) {
    String where = whenBad == ErrorCode.MALFORMED_BODY ? "the form" : "the query string";
    return new FlowException(whenBad, where + " cannot be read: " + why);
  }
}
