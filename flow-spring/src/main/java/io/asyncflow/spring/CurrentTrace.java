package io.asyncflow.spring;

/**
 * The trace to which the calls of a thread belong. With a {@code Tracer} of Micrometer Tracing, the
 * application has a bean of this type; one of its own takes its place. Implementations are
 * thread-safe and throw nothing.
 */
@FunctionalInterface
public interface CurrentTrace {

  /** No trace at all. */
  CurrentTrace NONE = () -> null;

  /**
   * The W3C {@code traceparent} of the span that is current on this thread; {@code null} if none.
   */
  String traceParent();
}
