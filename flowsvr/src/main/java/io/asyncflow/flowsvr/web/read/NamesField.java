package io.asyncflow.flowsvr.web.read;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** A field read as a set of names: a comma-separated text or a list of texts. */
public final class NamesField {

  private final Fields fields;
  private final String name;
  private final boolean isGiven;
  private List<String> values = List.of();
  private boolean isRefused;

  NamesField(Fields fields, String name, JsonNode node) {
    this.fields = fields;
    this.name = name;
    this.isGiven = node != null;
    if (node == null) {
      return;
    }
    if (node.isArray()) {
      values = elements(node);
    } else if (isText(node)) {
      values = pieces(node.asString());
    } else {
      refuse("must be a text with commas or a list of texts");
    }
  }

  private List<String> elements(JsonNode array) {
    List<String> elements = new ArrayList<>();
    for (JsonNode element : array) {
      if (!isText(element)) {
        refuse("must be a list of texts");
        return List.of();
      }
      elements.add(element.asString());
    }
    return elements;
  }

  private static boolean isText(JsonNode node) {
    return node.isString() || node.isIntegralNumber();
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

  /** At most so many names of at most so many characters each. */
  public NamesField max(int names, int characters) {
    if (values.size() > names) {
      refuse("must name at most " + names);
    } else if (values.stream().anyMatch(v -> v.codePointCount(0, v.length()) > characters)) {
      refuse("must have names of at most " + characters + " characters");
    } else if (values.stream().anyMatch(v -> v.isEmpty() || isGarbled(v))) {
      refuse("must name only what can be a name");
    }
    return this;
  }

  /** At least one name, unless the field is absent. */
  public NamesField notEmpty() {
    if (isGiven && values.isEmpty() && !isRefused) {
      refuse("must name at least one");
    }
    return this;
  }

  private static boolean isGarbled(String text) {
    return !text.equals(text.strip())
        || text.chars().anyMatch(Character::isISOControl)
        || TextField.hasLoneSurrogate(text);
  }

  /** The names in the order given; empty where there are none. */
  public Set<String> values() {
    return new LinkedHashSet<>(values);
  }

  private void refuse(String message) {
    values = List.of();
    isRefused = true;
    fields.refuse(name, message);
  }
}
