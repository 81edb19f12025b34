package io.asyncflow.rules;

import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the last holds of a task came to, as JSON: {@code lastData} and the five before it, oldest
 * first, in {@code historyDatas}. Whatever stands beside these two stays.
 *
 * <p>A log that is no JSON object (an old client stores what it likes) is begun anew, and so is one
 * that leaves no room.
 */
public final class ScheduleLog {

  private static final int HISTORY = 5;
  private static final int MAX_MESSAGE = 1_000;

  /** What the column holds; six messages of 1,000 characters that JSON escapes can be longer. */
  private static final int MAX_BYTES = 65_535;

  private static final int MOST_BYTES_A_CHARACTER = 3;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private ScheduleLog() {}

  /**
   * One line of the log.
   *
   * @param errMsg {@code null} if nothing went wrong
   * @param costMs from the hold to its end on the database's clock
   */
  public record Entry(
      String traceId,
      String errMsg,
      long costMs,
      String stage,
      String outcome,
      String workerId,
      int leaseEpoch,
      long time) {

    private ObjectNode toJson() {
      ObjectNode node = JSON.createObjectNode();
      node.put("traceId", traceId);
      node.put("errMsg", cut(errMsg == null ? "" : errMsg));
      node.put("cost", Math.max(0, costMs) + "ms");
      node.put("stage", stage);
      node.put("outcome", outcome);
      node.put("workerId", workerId);
      node.put("leaseEpoch", leaseEpoch);
      node.put("time", time);
      return node;
    }
  }

  /**
   * What the last hold came to.
   *
   * @param error what went wrong; {@code null} if nothing did, or the log is none of ours
   * @param costMs from the hold to its end; {@code null} if there was none
   */
  public record Last(String error, Long costMs) {}

  /** The last line of a log. */
  public static Last last(String log) {
    JsonNode last = parse(log).path("lastData");
    String error = last.path("errMsg").asString("");
    String cost = last.path("cost").asString("");
    return new Last(
        error.isEmpty() ? null : error,
        cost.matches("[0-9]{1,15}ms") ? Long.parseLong(cost.replace("ms", "")) : null);
  }

  /** The log with one more entry. */
  public static String append(String log, Entry entry) {
    ObjectNode root = parse(log);
    ArrayNode history = historyOf(root);
    JsonNode last = root.get("lastData");
    if (last != null && last.isObject()) {
      history.add(last);
    }
    while (history.size() > HISTORY) {
      history.remove(0);
    }
    root.set("lastData", entry.toJson());
    root.set("historyDatas", history);
    String text = root.toString();
    while (isTooLong(text) && !history.isEmpty()) {
      history.remove(0);
      text = root.toString();
    }
    return isTooLong(text) ? root.retain("lastData", "historyDatas").toString() : text;
  }

  private static boolean isTooLong(String text) {
    return text.length() > MAX_BYTES / MOST_BYTES_A_CHARACTER
        && text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES;
  }

  private static ObjectNode parse(String log) {
    try {
      if (log != null && !log.isBlank() && JSON.readTree(log) instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException e) {
      // not ours
    }
    return JSON.createObjectNode();
  }

  private static ArrayNode historyOf(ObjectNode root) {
    ArrayNode history = JSON.createArrayNode();
    if (root.get("historyDatas") instanceof ArrayNode old) {
      old.forEach(
          item -> {
            if (item.isObject()) {
              history.add(item);
            }
          });
    }
    return history;
  }

  private static String cut(String message) {
    return message.codePointCount(0, message.length()) <= MAX_MESSAGE
        ? message
        : message.substring(0, message.offsetByCodePoints(0, MAX_MESSAGE));
  }
}
