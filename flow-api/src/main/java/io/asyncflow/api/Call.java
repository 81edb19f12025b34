package io.asyncflow.api;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * A call of the contract, before it is JSON.
 *
 * @param path such as {@code /api/task/getTask}
 * @param fields what it says, by name: texts, numbers, values of enums, records of the contract,
 *     and collections of these
 * @param body a record whose fields it has, too; {@code null} for none
 * @param answer how its answer is read
 * @param extraWait how much longer than others the answer may take
 * @param method makes the call, with the fields that it has then, by the method of a client that is
 *     for it; {@code null} if there is none
 * @param <T> what the caller gets
 */
public record Call<T>(
    String path,
    Map<String, Object> fields,
    Record body,
    Answer<T> answer,
    Duration extraWait,
    BiFunction<FlowClient, Call<T>, T> method) {

  /** The field of a stream with the id of the last event that is known; a header over HTTP. */
  public static final String LAST_EVENT_ID = "lastEventId";

  public Call {
    fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }

  /** The value of a field, which the caller knows the type of; {@code null} if it is absent. */
  @SuppressWarnings("unchecked")
  <V> V get(String name) {
    return (V) fields.get(name);
  }

  /** A call without fields and without a result. */
  public static Call<Void> to(String path) {
    return to(path, Answer.NONE);
  }

  /** A call without fields that is answered a result of this class. */
  public static <T> Call<T> to(String path, Class<T> result) {
    return to(path, Answer.of(result));
  }

  /** A call without fields. */
  public static <T> Call<T> to(String path, Answer<T> answer) {
    return new Call<>(path, Map.of(), null, answer, Duration.ZERO, null);
  }

  /** An act on a task, without its arguments. */
  public static Call<Void> to(TaskAct act, String taskId) {
    return to(act.path()).with("taskId", taskId);
  }

  /**
   * The same call with one more field.
   *
   * @param value {@code null} for an absent field
   */
  public Call<T> with(String name, Object value) {
    if (value == null) {
      return this;
    }
    Map<String, Object> more = new LinkedHashMap<>(fields);
    more.put(name, value);
    return withFields(more);
  }

  /** The same call with other fields. */
  public Call<T> withFields(Map<String, Object> value) {
    return new Call<>(path, value, body, answer, extraWait, method);
  }

  /** The same call with who makes it and why; {@code null} for what is not said. */
  public Call<T> by(String operator, String reason) {
    return with("operator", operator).with("reason", reason);
  }

  /** The same call with the fields of a record. */
  public Call<T> withBody(Record value) {
    return new Call<>(path, fields, value, answer, extraWait, method);
  }

  /** The same call whose answer may take so much longer than others. */
  public Call<T> waiting(Duration value) {
    return new Call<>(path, fields, body, answer, value, method);
  }

  /** The same call, which a client has a method for. */
  Call<T> madeBy(BiFunction<FlowClient, Call<T>, T> value) {
    return new Call<>(path, fields, body, answer, extraWait, value);
  }

  /** What it says, as JSON. */
  public byte[] json() {
    return WireJson.bytesOf(this);
  }
}
