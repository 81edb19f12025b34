package io.asyncflow.flowsvr.edge.act;

import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * The detail of an act as it is recorded: without what tasks and jobs are given and leave behind,
 * and without secrets.
 */
final class Detail {

  static final String REDACTED = "‹redacted›";

  /** The column takes 65,535 bytes; a character may need three. */
  private static final int MOST_CHARACTERS = 20_000;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** What tasks and jobs are given and leave behind. */
  private static final Set<String> CONTENT =
      Set.of("taskContext", "context", "result", "input", "jobInput", "scheduleLog", "jobContext");

  private static final Pattern SECRET_NAME =
      Pattern.compile(
          "pass(word|wd)?|secret|token|key|api[_-]?key|authorization|cookie|private[_-]?key",
          Pattern.CASE_INSENSITIVE);

  /** A token begins only where a word does, so that no text is looked through twice. */
  private static final Pattern SECRET_TEXT =
      Pattern.compile(
          "\\bafk_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}\\b|\\bwhsec_[0-9A-Za-z+/=_-]+|\\bBearer\\s+\\S+"
              + "|\\bAKIA[0-9A-Z]{16}\\b|(?<![\\w-])eyJ[\\w-]++\\.[\\w-]++\\.[\\w-]*+");

  private Detail() {}

  /** The detail as JSON; {@code null} for {@code null}. */
  static String json(Object detail) {
    if (detail == null) {
      return null;
    }
    String json = JSON.writeValueAsString(redacted(JSON.valueToTree(detail)));
    return json.length() <= MOST_CHARACTERS
        ? json
        : JSON.writeValueAsString(Map.of("leftOut", json.length() + " characters"));
  }

  private static JsonNode redacted(JsonNode node) {
    if (node instanceof ObjectNode object) {
      ObjectNode copy = JSON.createObjectNode();
      object
          .properties()
          .forEach(
              member ->
                  copy.set(
                      member.getKey(),
                      isSecret(member.getKey()) && !member.getValue().isNull()
                          ? StringNode.valueOf(REDACTED)
                          : redacted(member.getValue())));
      return copy;
    }
    if (node instanceof ArrayNode array) {
      ArrayNode copy = JSON.createArrayNode();
      array.forEach(element -> copy.add(redacted(element)));
      return copy;
    }
    return node.isString()
        ? StringNode.valueOf(SECRET_TEXT.matcher(node.stringValue()).replaceAll(REDACTED))
        : node;
  }

  private static boolean isSecret(String name) {
    return CONTENT.contains(name) || SECRET_NAME.matcher(name).matches();
  }
}
