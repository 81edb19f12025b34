package io.asyncflow.worker;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/**
 * A type with its parameters, which a class literal cannot name: {@code new
 * GenericType<List<Chapter>>() {}}.
 *
 * @see StageContext#context(GenericType)
 */
public abstract class GenericType<T> {

  private final Type type;

  protected GenericType() {
    if (!(getClass().getGenericSuperclass() instanceof ParameterizedType own)) {
      throw new IllegalStateException("write new GenericType<…>() {} with a type in its brackets");
    }
    this.type = own.getActualTypeArguments()[0];
  }

  final Type type() {
    return type;
  }
}
