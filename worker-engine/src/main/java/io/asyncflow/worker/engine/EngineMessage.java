package io.asyncflow.worker.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.asyncflow.api.OneLine;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.ResourceException;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * The messages between worker and engine, one JSON object for each line; docs/engines.md describes
 * them.
 */
sealed interface EngineMessage {

  /** The version of the protocol that this worker speaks. */
  int PROTOCOL = 1;

  /** The engine is ready. */
  record Ready(int protocol, String engine) implements EngineMessage {}

  /** The progress of a run, 0 to 100. */
  record Progress(String id, int percent) implements EngineMessage {}

  /** The result of a run. */
  record Result(String id, StageResult result) implements EngineMessage {}

  /** A run failed. */
  record Failure(String id, Kind kind, String message) implements EngineMessage {

    /** What the failure means to the task, as an exception. */
    Exception reason() {
      String why = message.isBlank() ? "the engine gave no reason" : message;
      return switch (kind) {
        case RETRYABLE -> new EngineException(why);
        case FATAL -> new NonRetryableException(why);
        case OUT_OF_MEMORY -> new ResourceException("out of memory: " + why);
        case CANCELLED -> new InterruptedException(why);
      };
    }
  }

  /** The consequence of a failure for the task. */
  enum Kind {
    RETRYABLE,
    FATAL,
    OUT_OF_MEMORY,
    CANCELLED
  }

  /** A line is not a valid message; the exception's message states the reason. */
  final class MalformedException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedException(String message) {
      super(message);
    }
  }

  /** Why a result is refused. */
  String ODD_NUMBER = "the result has NaN or an infinite number, which JSON cannot write";

  /** The number of shown characters, enough to identify the source of a line. */
  int SHOWN = 100;

  /** It reads NaN and Infinity, which cost their run and not the engine. */
  JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .build();

  /** What some programs print before their first text in UTF-8. */
  String BYTE_ORDER_MARK = "\uFEFF";

  static EngineMessage parse(String line) throws MalformedException {
    JsonNode node;
    try {
      node = JSON.readTree(line.startsWith(BYTE_ORDER_MARK) ? line.substring(1) : line);
    } catch (JsonProcessingException e) {
      throw new MalformedException("printed what is no JSON: " + shown(line));
    }
    if (node == null || !node.isObject()) {
      throw new MalformedException("printed what is no JSON object: " + shown(line));
    }
    try {
      return switch (text(node, "type")) {
        case "ready" ->
            new Ready(number(node, "protocol"), OneLine.of(node.path("engine").asText("")));
        case "progress" -> new Progress(text(node, "id"), number(node, "percent"));
        case "result" ->
            hasOddNumber(node)
                ? new Failure(text(node, "id"), Kind.RETRYABLE, ODD_NUMBER)
                : new Result(text(node, "id"), result(node));
        case "error" -> new Failure(text(node, "id"), kind(node), node.path("message").asText(""));
        default -> throw new MalformedException("printed a message of an unknown type");
      };
    } catch (MalformedException e) {
      throw new MalformedException(e.getMessage() + ": " + shown(line));
    }
  }

  /** Whether it has a number that JSON cannot write, such as NaN or 1e999. */
  private static boolean hasOddNumber(JsonNode node) {
    if (node.isDouble()) {
      return !Double.isFinite(node.doubleValue());
    }
    for (JsonNode child : node) {
      if (hasOddNumber(child)) {
        return true;
      }
    }
    return false;
  }

  private static StageResult result(JsonNode node) throws MalformedException {
    if (!node.has("nextStage")) {
      return StageResult.done(value(node.get("result")));
    }
    StageResult.NextStage next =
        StageResult.next(text(node, "nextStage"), value(node.get("context")));
    return node.has("priority") ? next.withPriority(number(node, "priority")) : next;
  }

  /** A string stays unchanged; any other value becomes JSON. */
  private static String value(JsonNode node) {
    if (node == null || node.isNull()) {
      return null;
    }
    return node.isTextual() ? node.textValue() : node.toString();
  }

  private static Kind kind(JsonNode node) throws MalformedException {
    String kind = text(node, "kind");
    for (Kind known : Kind.values()) {
      if (known.name().toLowerCase(Locale.ROOT).equals(kind)) {
        return known;
      }
    }
    throw new MalformedException("printed an error of an unknown kind");
  }

  private static String text(JsonNode node, String name) throws MalformedException {
    JsonNode value = node.get(name);
    if (value == null || !value.isTextual()) {
      throw new MalformedException("printed a message without a string \"" + name + "\"");
    }
    return value.textValue();
  }

  private static int number(JsonNode node, String name) throws MalformedException {
    JsonNode value = node.get(name);
    if (value != null && value.isDouble() && !Double.isFinite(value.doubleValue())) {
      return (int) value.doubleValue(); // the nearest int, and 0 for NaN
    }
    if (value == null || !value.canConvertToInt()) {
      throw new MalformedException("printed a message without a number \"" + name + "\"");
    }
    return value.intValue();
  }

  static String shown(String text) {
    return "'" + OneLine.of(text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…") + "'";
  }

  /** The first line that an engine reads. */
  static String hello(String device, int slot) {
    return JSON.createObjectNode()
        .put("type", "hello")
        .put("protocol", PROTOCOL)
        .put("device", device)
        .put("slot", slot)
        .toString();
  }

  /** Asks for one run, or for several that may be done in one go. */
  static String run(Collection<StageContext> contexts) {
    ObjectNode message = JSON.createObjectNode().put("type", "run");
    ArrayNode runs = message.putArray("runs");
    contexts.forEach(context -> runs.add(runOf(context)));
    return message.toString();
  }

  /**
   * Names the run to its engine: the key of the hold, and of a local retry its number, too. An
   * executor begins no run whose id it knows, so a retry needs an id of its own.
   */
  static String idOf(StageContext context) {
    String key = context.idempotencyKey();
    return context.localAttempt() == 1 ? key : key + "." + context.localAttempt();
  }

  static ObjectNode runOf(StageContext context) {
    ObjectNode run =
        JSON.createObjectNode()
            .put("id", idOf(context))
            .put("taskId", context.taskId())
            .put("taskType", context.taskType())
            .put("stage", context.stage())
            .put("attempt", context.attempt())
            .put("context", context.rawContext())
            .put("remainingMs", context.remaining().toMillis());
    context.traceParent().ifPresent(parent -> run.put("traceParent", parent));
    return run;
  }

  static String cancel(List<String> ids) {
    ObjectNode message = JSON.createObjectNode().put("type", "cancel");
    ArrayNode named = message.putArray("ids");
    ids.forEach(named::add);
    return message.toString();
  }
}
