package io.asyncflow.console.frame;

import io.asyncflow.console.OperatorClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls of the API whose answers are records. Thread-safe. */
public class Calls {

  /** A newer server may leave out what this version knows. */
  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

  private final OperatorClient api;
  private final Map<Class<?>, Read<?>> shared = new ConcurrentHashMap<>();

  /** What was made of an answer. */
  private record Read<T>(JsonNode answer, T made) {}

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

  /** As {@link #get}, of a result that pages which are answered the same share. */
  public <T> T shared(Class<T> type, String path, Object... namesAndValues) {
    return shared(type, answer -> JSON.treeToValue(answer, type), path, namesAndValues);
  }

  /**
   * What pages share that are answered the same: it is made once, of the latest answer.
   *
   * @param type no other call has a result of the same
   */
  public <T> T shared(
      Class<T> type, Function<JsonNode, T> make, String path, Object... namesAndValues) {
    JsonNode answer = call(path, namesAndValues);
    Read<?> known = shared.get(type);
    if (known == null || known.answer() != answer) {
      boolean isSame = known != null && known.answer().equals(answer);
      known = new Read<>(answer, isSame ? known.made() : make.apply(answer));
      shared.put(type, known);
    }
    return type.cast(known.made());
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
