package io.asyncflow.api;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Copies public records, with other values for some of their components. The {@code with} methods
 * of the records of the contract are made of it. Thread-safe.
 */
public final class RecordCopy {

  private static final ClassValue<Shape> SHAPES =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
          return Shape.of(type);
        }
      };

  /** How a record is taken apart and put together. */
  private record Shape(RecordComponent[] components, Constructor<?> constructor) {

    static Shape of(Class<?> type) {
      RecordComponent[] components = type.getRecordComponents();
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      try {
        return new Shape(components, type.getConstructor(types));
      } catch (NoSuchMethodException e) {
        throw new IllegalArgumentException("no public record: " + type, e);
      }
    }
  }

  private RecordCopy() {}

  /** The values of the components of a record by their names, in their order. */
  public static Map<String, Object> valuesOf(Record record) {
    try {
      Map<String, Object> values = new LinkedHashMap<>();
      for (RecordComponent component : SHAPES.get(record.getClass()).components()) {
        values.put(component.getName(), component.getAccessor().invoke(record));
      }
      return values;
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("no public record: " + record.getClass(), e);
    }
  }

  /** A copy of a record with another value of the component of this name. */
  public static <R extends Record> R with(R record, String component, Object value) {
    return with(record, Collections.singletonMap(component, value));
  }

  /** A copy of a record with other values of the components of these names. */
  @SuppressWarnings("unchecked") // the constructor is that of the class of the record
  public static <R extends Record> R with(R record, Map<String, ?> changes) {
    Map<String, Object> values = valuesOf(record);
    if (!values.keySet().containsAll(changes.keySet())) {
      throw new IllegalArgumentException(record.getClass() + " lacks one of " + changes.keySet());
    }
    values.putAll(changes);
    try {
      Constructor<?> constructor = SHAPES.get(record.getClass()).constructor();
      return (R) constructor.newInstance(values.values().toArray());
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof RuntimeException refusal
          ? refusal
          : new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("no public record: " + record.getClass(), e);
    }
  }
}
