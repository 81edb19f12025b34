package io.asyncflow.flowsvr.base.system;

import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** What a failure and its causes are. */
public final class Causes {

  private Causes() {}

  /** The failure, its cause, the cause of this, and so on. */
  public static Stream<Throwable> of(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
  }

  /** The first of them that is of a type. */
  public static <T> Optional<T> first(Class<T> type, Throwable failure) {
    return of(failure).filter(type::isInstance).map(type::cast).findFirst();
  }
}
