package io.asyncflow.worker.internal.json;

import io.asyncflow.worker.NonRetryableException;
import java.lang.reflect.Type;

/** Reads contexts and writes contexts and results as JSON; strings stay unchanged. */
public final class ContextJson {

  /**
   * A record may gain a component while tasks of the previous version wait: fields missing from
   * their contexts are {@code null}, or the zero of a primitive.
   */
  private static final JsonText JSON = JsonText.ofTheApplication();

  private ContextJson() {}

  /**
   * @return never {@code null}, because a handler would fail on {@code null} in every attempt
   * @throws NonRetryableException if {@code raw} is empty, null or not JSON, which a retry cannot
   *     change
   * @throws IllegalArgumentException if it is JSON of another type, which a worker of another
   *     version may have: while a new version rolls out, a retry may find one that can read it
   */
  public static Object read(String raw, Type type) {
    Object value = readNullable(raw, type);
    if (value == null) {
      throw new NonRetryableException(
          "the context cannot be read as "
              + type.getTypeName()
              + ": it is "
              + (raw.isBlank() ? "empty" : "null"));
    }
    return value;
  }

  /**
   * @return {@code null} if the context is empty or JSON's null, unless the type has a value for
   *     that, as Optional has
   * @throws NonRetryableException if it is not empty and not JSON
   * @throws IllegalArgumentException if it is JSON of another type
   */
  public static Object readNullable(String raw, Type type) {
    if (type == String.class) {
      return raw;
    }
    String json = raw.isBlank() ? "null" : raw.strip();
    if (json.equals("null") && type instanceof Class<?> simple && simple.isPrimitive()) {
      return null; // a missing context is not a zero
    }
    try {
      return JSON.read(json, type);
    } catch (JsonText.UnfitException e) {
      String reason = "the context cannot be read as " + type.getTypeName() + ": " + e.getMessage();
      throw e.isJson() ? new IllegalArgumentException(reason) : new NonRetryableException(reason);
    }
  }

  /**
   * @return {@code null} for {@code null}
   * @throws NonRetryableException if it cannot be written
   */
  public static String write(Object value) {
    if (value == null || value instanceof String) {
      return (String) value;
    }
    try {
      return JSON.write(value);
    } catch (JsonText.UnfitException e) {
      throw new NonRetryableException(
          "a " + value.getClass().getName() + " cannot be written as JSON: " + e.getMessage());
    }
  }
}
