package io.asyncflow.flowsvr.edge.web.read;

import io.asyncflow.rules.field.FieldSource;
import io.asyncflow.rules.field.NamesField;
import io.asyncflow.rules.field.NumberField;
import io.asyncflow.rules.field.TextField;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Makes fields of JSON values; a value of a wrong kind is refused. */
final class JsonFields {

  private static final Pattern DIGITS = Pattern.compile("-?[0-9]{1,19}");

  private JsonFields() {}

  static TextField text(FieldSource fields, String name, JsonNode node) {
    if (node == null || isText(node)) {
      return new TextField(fields, name, node == null ? null : node.asString());
    }
    return TextField.invalid(fields, name);
  }

  static NumberField number(FieldSource fields, String name, JsonNode node) {
    if (node == null || node.isString() && node.asString().isEmpty()) {
      return new NumberField(fields, name, null);
    }
    Long value = parse(node);
    return value == null ? NumberField.invalid(fields, name) : new NumberField(fields, name, value);
  }

  private static Long parse(JsonNode node) {
    if (node.isIntegralNumber()) {
      return node.canConvertToLong() ? node.asLong() : null;
    }
    if (!node.isString() || !DIGITS.matcher(node.asString()).matches()) {
      return null;
    }
    try {
      return Long.parseLong(node.asString());
    } catch (NumberFormatException e) {
      return null; // 19 digits may be more than 63 bits
    }
  }

  static NamesField names(FieldSource fields, String name, JsonNode node) {
    if (node == null) {
      return new NamesField(fields, name, null);
    }
    if (node.isArray()) {
      List<String> elements = new ArrayList<>();
      for (JsonNode element : node) {
        if (!isText(element)) {
          return NamesField.invalid(fields, name, "must be a list of texts");
        }
        elements.add(element.asString());
      }
      return new NamesField(fields, name, elements);
    }
    return isText(node)
        ? new NamesField(fields, name, pieces(node.asString()))
        : NamesField.invalid(fields, name, "must be a text with commas or a list of texts");
  }

  private static List<String> pieces(String text) {
    List<String> pieces = new ArrayList<>();
    for (String piece : text.split(",")) {
      if (!piece.isBlank()) {
        pieces.add(piece.strip());
      }
    }
    return pieces;
  }

  private static boolean isText(JsonNode node) {
    return node.isString() || node.isIntegralNumber();
  }
}
