package io.asyncflow.api;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
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
  private record Shape(List<String> names, List<Method> accessors, Constructor<?> constructor) {

    static Shape of(Class<?> type) {
      List<RecordComponent> components = List.of(type.getRecordComponents());
      Class<?>[] types = components.stream().map(RecordComponent::getType).toArray(Class<?>[]::new);
      try {
        return new Shape(
            components.stream().map(RecordComponent::getName).toList(),
            components.stream().map(RecordComponent::getAccessor).toList(),
            type.getConstructor(types));
      } catch (NoSuchMethodException e) {
        throw new IllegalArgumentException("no public record: " + type, e);
      }
    }

    Object[] valuesOf(Record record) {
      try {
        Object[] values = new Object[accessors.size()];
        for (int i = 0; i < values.length; i++) {
          values[i] = accessors.get(i).invoke(record);
        }
        return values;
      } catch (ReflectiveOperationException e) {
        throw new IllegalArgumentException("no public record: " + record.getClass(), e);
      }
    }

    void set(Object[] values, String component, Object value) {
      int index = names.indexOf(component);
      if (index < 0) {
        throw new IllegalArgumentException(constructor.getDeclaringClass() + " lacks " + component);
      }
      values[index] = value;
    }

    @SuppressWarnings("unchecked") // the constructor is that of the class of the record
    <R extends Record> R make(R like, Object[] values) {
      try {
        return (R) constructor.newInstance(values);
      } catch (InvocationTargetException e) {
        throw e.getCause() instanceof RuntimeException refusal
            ? refusal
            : new IllegalStateException(e.getCause());
      } catch (ReflectiveOperationException e) {
        throw new IllegalArgumentException("no public record: " + like.getClass(), e);
      }
    }
  }

  private RecordCopy() {}

  /** The values of the components of a record by their names, in their order. */
  public static Map<String, Object> valuesOf(Record record) {
    Shape shape = SHAPES.get(record.getClass());
    Object[] values = shape.valuesOf(record);
    Map<String, Object> byName = new LinkedHashMap<>();
    for (int i = 0; i < values.length; i++) {
      byName.put(shape.names().get(i), values[i]);
    }
    return byName;
  }

  /** A copy of a record with another value of the component of this name. */
  public static <R extends Record> R with(R record, String component, Object value) {
    return with(record, Collections.singletonMap(component, value));
  }

  /** A copy of a record with other values of the components of these names. */
  public static <R extends Record> R with(R record, Map<String, ?> changes) {
    Shape shape = SHAPES.get(record.getClass());
    Object[] values = shape.valuesOf(record);
    changes.forEach((component, value) -> shape.set(values, component, value));
    return shape.make(record, values);
  }
}
