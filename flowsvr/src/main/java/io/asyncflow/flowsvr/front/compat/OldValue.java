package io.asyncflow.flowsvr.front.compat;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.LongNode;
import tools.jackson.databind.node.StringNode;

/** How old clients write a value, and how the API does. What is no such value stays as it is. */
enum OldValue {
  OF_API(value -> value, value -> value),

  /** An id with the type as it is spelled; the API has no capital letters in ids. */
  ID_AS_SPELLED(id -> changed(id, text -> text.toLowerCase(Locale.ROOT)), value -> value),

  /** An id of number, type and table: {@code 249_my-type_1} is {@code 249_my_type_task_1}. */
  SHORT_ID(
      id -> changed(id, text -> OldValue.rewritten(text, true)),
      id -> changed(id, text -> OldValue.rewritten(text, false))),

  /** Waiting, executing, success and failed are 1, 2, 3 and 4. */
  STATUS_1_TO_4(
      status -> {
        int place = status.asInt(0);
        return status.isNull() || place == 0 || place == 1 || place == 2
            ? status
            : IntNode.valueOf(place == 3 ? 4 : place == 4 ? 8 : OldValue.NO_STATUS);
      },
      status ->
          IntNode.valueOf(
              switch (status.asInt()) {
                case 4 -> 3;
                case 8, 16 -> 4; // cancelled: it has ended, and without success
                case 32 -> 1; // paused: it has not begun
                default -> status.asInt();
              })),

  /** Seconds since 1970. */
  SECONDS(
      time -> {
        long seconds = time.isIntegralNumber() ? time.asLong(0) : 0;
        boolean isMoment = seconds > 0 && seconds <= Long.MAX_VALUE / 1000;
        return isMoment ? LongNode.valueOf(seconds * 1000) : time;
      },
      time -> LongNode.valueOf(time.asLong() / 1000)),

  /** RFC 3339. Clients send such times back, and the API ignores them. */
  DATE(time -> null, time -> StringNode.valueOf(Instant.ofEpochMilli(time.asLong()).toString())),

  /** 0 is the type's value. */
  UNLESS_ZERO(number -> number.asInt(-1) == 0 ? null : number, value -> value),

  /** An empty log is one without entries; some clients do not read an empty text. */
  LOG(
      value -> value,
      log ->
          log.asString("").isEmpty()
              ? StringNode.valueOf("{\"historyDatas\":[],\"lastData\":{}}")
              : log);

  static final Map<String, OldValue> OF_JAVA = Map.of("taskId", ID_AS_SPELLED, "scheduleLog", LOG);

  static final Map<String, OldValue> OF_GO =
      Map.of(
          "taskId", SHORT_ID,
          "status", STATUS_1_TO_4,
          "orderTime", SECONDS,
          "createTime", DATE,
          "modifyTime", DATE,
          "maxRetryNum", UNLESS_ZERO,
          "maxRetryInterval", UNLESS_ZERO,
          "scheduleLog", LOG);

  private static final Pattern SHORT = Pattern.compile("([0-9]+)_([a-z][a-z0-9-]*)_([0-9]+)");
  private static final Pattern LONG = Pattern.compile("([0-9]+)_(.+)_task_([0-9]+)");

  /** Refused by each form; 8 of such a client is not the API's. */
  private static final int NO_STATUS = -1;

  private final UnaryOperator<JsonNode> read;
  private final UnaryOperator<JsonNode> write;

  OldValue(UnaryOperator<JsonNode> read, UnaryOperator<JsonNode> write) {
    this.read = read;
    this.write = write;
  }

  /** The value of the API; {@code null} for none. */
  JsonNode read(JsonNode ofClient) {
    return read.apply(ofClient);
  }

  JsonNode write(JsonNode ofApi) {
    return write.apply(ofApi);
  }

  private static String rewritten(String id, boolean isShort) {
    Matcher parts = (isShort ? SHORT : LONG).matcher(isShort ? id.toLowerCase(Locale.ROOT) : id);
    if (!parts.matches()) {
      return id;
    }
    String type = parts.group(2);
    return parts.group(1)
        + "_"
        + (isShort ? type.replace('-', '_') + "_task" : type.replace('_', '-'))
        + "_"
        + parts.group(3);
  }

  private static JsonNode changed(JsonNode text, UnaryOperator<String> change) {
    return text.isString() ? StringNode.valueOf(change.apply(text.asString())) : text;
  }
}
