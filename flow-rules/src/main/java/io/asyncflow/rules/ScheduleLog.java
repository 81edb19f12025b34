package io.asyncflow.rules;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The ends of a task's last holds, as JSON: {@code lastData} is the last one, {@code historyDatas}
 * has the five before it, oldest first. Other fields of the object are kept.
 *
 * <p>Old clients store logs of their own. Some put the object into a JSON text, some spell the
 * names of its fields with capitals; both are read. What is no object at all is replaced. Other
 * fields that leave no room for the last entry are dropped.
 */
public final class ScheduleLog {

  private static final int HISTORY = 5;
  private static final int MAX_MESSAGE = 1_000;

  /** An entry with the longest message has room; six of them may need more. */
  private static final int MAX_BYTES = 8_192;

  /** What is left of the messages of earlier entries that would need more room. */
  private static final int SHORT_MESSAGE = 100;

  private static final int MAX_BYTES_PER_CHARACTER = 3;

  private static final List<String> FIELDS_OF_OLD_CLIENTS =
      List.of("lastData", "historyDatas", "traceId", "errMsg", "cost");

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private ScheduleLog() {}

  /**
   * The entry of one hold.
   *
   * @param errMsg {@code null} if there was no error
   * @param costMs milliseconds from the hold to its end, by the database's clock
   * @param localRetries how often the worker has run the handler again in the hold; {@code null}
   *     for never
   */
  public record Entry(
      String traceId,
      String errMsg,
      long costMs,
      Integer localRetries,
      String stage,
      String outcome,
      String workerId,
      int leaseEpoch,
      long time) {

    private ObjectNode toJson() {
      ObjectNode node = JSON.createObjectNode();
      node.put("traceId", traceId);
      node.put("errMsg", CodePoints.cut(errMsg == null ? "" : errMsg, MAX_MESSAGE));
      node.put("cost", Math.max(0, costMs) + "ms");
      if (localRetries != null) {
        node.put("localRetries", localRetries);
      }
      node.put("stage", stage);
      node.put("outcome", outcome);
      node.put("workerId", workerId);
      node.put("leaseEpoch", leaseEpoch);
      node.put("time", time);
      return node;
    }
  }

  /**
   * The end of the last hold.
   *
   * @param outcome {@code null} if no hold has ended, or if the log has another form
   * @param error its error; {@code null} if there was none, or if the log has another form
   * @param costMs milliseconds from the hold to its end; {@code null} if no hold has ended
   */
  public record Last(String outcome, String error, Long costMs) {}

  /** Reads the last entry of a log. */
  public static Last last(String log) {
    JsonNode last = parse(log).path("lastData");
    String outcome = last.path("outcome").asText("");
    String error = last.path("errMsg").asText("");
    String cost = last.path("cost").asText("");
    return new Last(
        outcome.isEmpty() ? null : outcome,
        error.isEmpty() ? null : error,
        cost.matches("[0-9]{1,15}ms") ? Long.parseLong(cost.replace("ms", "")) : null);
  }

  /**
   * The ends of the last holds, oldest first; without those that an old client wrote, which do not
   * say when they were.
   */
  public static List<Entry> entries(String log) {
    ObjectNode root = parse(log);
    ArrayNode all = historyOf(root);
    if (root.get("lastData") instanceof ObjectNode last) {
      all.add(last);
    }
    List<Entry> entries = new ArrayList<>();
    for (JsonNode entry : all) {
      if (entry.has("outcome") && entry.has("time")) {
        entries.add(read(entry));
      }
    }
    return entries;
  }

  private static Entry read(JsonNode entry) {
    String error = entry.path("errMsg").asText("");
    String cost = entry.path("cost").asText("");
    return new Entry(
        entry.path("traceId").asText(""),
        error.isEmpty() ? null : error,
        cost.matches("[0-9]{1,15}ms") ? Long.parseLong(cost.replace("ms", "")) : 0,
        null,
        entry.path("stage").asText(""),
        entry.path("outcome").asText(""),
        entry.path("workerId").asText(""),
        entry.path("leaseEpoch").asInt(0),
        entry.path("time").asLong(0));
  }

  /**
   * The log with the entry appended, of at most 8 KB: the messages of the oldest entries are cut,
   * and entries that leave no room even then are dropped.
   */
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
    for (int i = 0; i < history.size() && isTooLong(text); i++) {
      if (history.get(i).get("errMsg") instanceof TextNode message) {
        ((ObjectNode) history.get(i))
            .put("errMsg", CodePoints.cut(message.textValue(), SHORT_MESSAGE));
        text = root.toString();
      }
    }
    while (isTooLong(text) && !history.isEmpty()) {
      history.remove(0);
      text = root.toString();
    }
    return isTooLong(text) ? root.retain("lastData", "historyDatas").toString() : text;
  }

  private static boolean isTooLong(String text) {
    return text.length() > MAX_BYTES / MAX_BYTES_PER_CHARACTER
        && text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES;
  }

  private static ObjectNode parse(String log) {
    try {
      JsonNode root = JSON.readTree(log == null ? "" : log);
      if (root.isTextual()) {
        root = JSON.readTree(root.asText());
      }
      if (root instanceof ObjectNode object) {
        withoutCapitals(object);
        withoutCapitals(object.get("lastData"));
        historyOf(object).forEach(ScheduleLog::withoutCapitals);
        return object;
      }
    } catch (JsonProcessingException e) {
      // not a log in this form
    }
    return JSON.createObjectNode();
  }

  private static void withoutCapitals(JsonNode node) {
    if (node instanceof ObjectNode object) {
      for (String name : FIELDS_OF_OLD_CLIENTS) {
        JsonNode value = object.remove(Character.toUpperCase(name.charAt(0)) + name.substring(1));
        if (value != null) {
          object.putIfAbsent(name, value);
        }
      }
    }
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
}
