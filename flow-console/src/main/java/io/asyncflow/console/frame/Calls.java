package io.asyncflow.console.frame;

import io.asyncflow.console.OperatorClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls of the API whose answers are records. Thread-safe. */
public class Calls {

  /** A newer server may leave out what this version knows. */
  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

  private final OperatorClient api;

  public Calls(OperatorClient api) {
    this.api = api;
  }

  /**
   * Fields of a call, names and values in turn; those that are {@code null} or empty are left out.
   */
  public static Map<String, Object> fields(Object... namesAndValues) {
    Map<String, Object> fields = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      Object value = namesAndValues[i + 1];
      if (value != null && !value.equals("")) {
        fields.put((String) namesAndValues[i], value);
      }
    }
    return fields;
  }

  /** Makes a call whose result is of no interest, or is read as JSON. */
  public JsonNode call(String path, Object... namesAndValues) {
    return api.call(path, fields(namesAndValues));
  }

  public JsonNode call(String path, Map<String, ?> fields) {
    return api.call(path, fields);
  }

  /** The result of a call. */
  public <T> T get(Class<T> type, String path, Object... namesAndValues) {
    return JSON.treeToValue(call(path, namesAndValues), type);
  }

  /**
   * A member of the result of a call.
   *
   * @param member its name
   */
  public <T> T get(Class<T> type, String member, String path, Map<String, ?> fields) {
    return JSON.treeToValue(api.call(path, fields).path(member), type);
  }

  /**
   * A list in the result of a call.
   *
   * @param member its name
   */
  public <T> List<T> list(Class<T> type, String member, String path, Map<String, ?> fields) {
    return list(type, member, api.call(path, fields));
  }

  /** The same of an answer. */
  public static <T> List<T> list(Class<T> type, String member, JsonNode answer) {
    List<T> all = new ArrayList<>();
    answer.path(member).forEach(item -> all.add(JSON.treeToValue(item, type)));
    return all;
  }
}
