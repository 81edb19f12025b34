package io.asyncflow.spring;

/**
 * The trace to which the calls of a thread belong. With a {@code Tracer} of Micrometer Tracing, the
 * application has a bean of this type; one of its own takes its place. Implementations are
 * thread-safe.
 */
public interface CurrentTrace {

  /** No trace at all. */
  CurrentTrace NONE =
      new CurrentTrace() {
        @Override
        public String traceParent() {
          return null;
        }

        @Override
        public Scope enter(String traceParent) {
          return () -> {};
        }
      };

  /**
   * The W3C {@code traceparent} of the span that is current on this thread; {@code null} if none.
   */
  String traceParent();

  /**
   * Makes a span current on this thread that was so elsewhere, until the scope is closed. If that
   * fails, the calls are in no trace.
   *
   * @param traceParent what {@link #traceParent()} gave there
   */
  Scope enter(String traceParent);

  /** Ends what {@link #enter} began, on the same thread. */
  @FunctionalInterface
  interface Scope extends AutoCloseable {

    @Override
    void close();
  }
}
