package io.asyncflow.console.json;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A document as a page shows it: as a tree if it is JSON and small, otherwise as text. Numbers keep
 * their digits. What the names of members call a secret is covered, in a tree and in a text.
 *
 * @param root {@code null} if the document is shown as text
 * @param text the document, or its beginning
 * @param isCovered whether it has values that are not shown
 * @param isCut whether {@code text} is not all of it
 * @param length of the whole, in characters
 */
public record JsonTree(Node root, String text, boolean isCovered, boolean isCut, int length) {

  static final int MOST_NODES = 500;
  static final int MOST_TEXT = 65_536;
  private static final int DEEPEST = 64;
  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEPEST)
                          .maxNumberLength(MOST_TEXT)
                          .build())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  /** What a node is, which decides its colour. */
  public enum Kind {
    OBJECT,
    LIST,
    TEXT,
    NUMBER,
    OTHER,
    COVERED
  }

  /**
   * A value of the document.
   *
   * @param name of the member, or the position in a list; {@code null} for the root
   * @param value as the document has it; {@code null} of objects and lists
   * @param children empty but of objects and lists
   */
  public record Node(String name, Kind kind, String value, List<Node> children) {

    public boolean isInner() {
      return kind == Kind.OBJECT || kind == Kind.LIST;
    }
  }

  /**
   * @param document {@code null} and empty are a text without characters
   */
  public static JsonTree of(String document) {
    String whole = document == null ? "" : document;
    if (whole.length() <= MOST_TEXT) {
      try {
        JsonNode json = JSON.readTree(whole);
        if (json != null && json.isContainer() && count(json) <= MOST_NODES) {
          Drawing drawing = new Drawing(count(json));
          Node root = drawing.node(null, json);
          return new JsonTree(root, "", drawing.isCovered, false, whole.length());
        }
      } catch (JacksonException e) {
        return asText(whole); // it is no JSON, or nobody should draw it
      }
    }
    return asText(whole);
  }

  /**
   * The text that stands at a place in a document; empty if there is none, or if it is no JSON.
   *
   * @param names of the members that lead to it
   */
  public static String memberOf(String document, String... names) {
    if (document == null || document.isEmpty()) {
      return "";
    }
    try {
      JsonNode node = JSON.readTree(document);
      for (String name : names) {
        node = node.path(name);
      }
      return node.asString("");
    } catch (JacksonException e) {
      return "";
    }
  }

  public boolean isEmpty() {
    return length == 0;
  }

  private static JsonTree asText(String whole) {
    CoveredText shown = CoveredText.of(whole, MOST_TEXT);
    return new JsonTree(null, shown.text(), shown.isCovered(), shown.isCut(), whole.length());
  }

  private static int count(JsonNode json) {
    int nodes = 1;
    for (JsonNode child : json) {
      nodes += count(child);
      if (nodes > MOST_NODES) {
        return nodes;
      }
    }
    return nodes;
  }

  /** Makes nodes of values; texts that are documents themselves become trees, too. */
  private static final class Drawing {

    private int nodes;
    private boolean isCovered;

    Drawing(int nodes) {
      this.nodes = nodes;
    }

    Node node(String name, JsonNode json) {
      if (name != null && Secrets.hides(name, json.asToken())) {
        isCovered = true;
        return new Node(name, Kind.COVERED, Secrets.COVER, List.of());
      }
      if (json.isObject()) {
        List<Node> members = new ArrayList<>();
        for (Map.Entry<String, JsonNode> member : json.properties()) {
          members.add(node(member.getKey(), member.getValue()));
        }
        return new Node(name, Kind.OBJECT, null, members);
      }
      if (json.isArray()) {
        List<Node> items = new ArrayList<>();
        for (JsonNode item : json) {
          items.add(node(String.valueOf(items.size()), item));
        }
        return new Node(name, Kind.LIST, null, items);
      }
      if (json.isString()) {
        return ofText(name, json.asString());
      }
      Kind kind = json.isNumber() ? Kind.NUMBER : Kind.OTHER;
      return new Node(name, kind, json.isNull() ? "null" : json.asString(), List.of());
    }

    private Node ofText(String name, String text) {
      if (!CoveredText.looksLikeDocument(text)) {
        return new Node(name, Kind.TEXT, text, List.of());
      }
      JsonNode inner = documentIn(text);
      if (inner != null) {
        return node(name, inner);
      }
      CoveredText covered = CoveredText.of(text, Integer.MAX_VALUE);
      isCovered |= covered.isCovered();
      return new Node(name, Kind.TEXT, covered.text(), List.of());
    }

    /**
     * As the context of a task is in the definition of a schedule; {@code null} if it has too many
     * values, or only looks like one.
     */
    private JsonNode documentIn(String text) {
      try {
        JsonNode inner = JSON.readTree(text);
        int more = inner.isContainer() ? count(inner) : MOST_NODES;
        if (nodes + more > MOST_NODES) {
          return null;
        }
        nodes += more;
        return inner;
      } catch (JacksonException e) {
        return null;
      }
    }
  }
}
