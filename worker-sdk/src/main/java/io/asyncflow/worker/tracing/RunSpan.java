package io.asyncflow.worker.tracing;

import io.asyncflow.worker.StageResult;

/** The span of one run, from its start until its handler has ended. */
public interface RunSpan {

  /** No span. */
  RunSpan NONE =
      new RunSpan() {
        @Override
        public String traceParent() {
          return null;
        }

        @Override
        public Scope enter() {
          return () -> {};
        }

        @Override
        public void end(StageResult result, Throwable thrown) {
          // nothing was begun
        }
      };

  /**
   * The W3C {@code traceparent} of what the run calls and creates; {@code null} for that of its
   * task.
   */
  String traceParent();

  /** Makes the span current on the calling thread, until the scope is closed there. */
  Scope enter();

  /**
   * Ends the span; called once.
   *
   * @param result what the handler returned; {@code null} if it threw
   * @param thrown what the handler threw; {@code null} if it returned
   */
  void end(StageResult result, Throwable thrown);

  /** How long a span is current on a thread. */
  @FunctionalInterface
  interface Scope extends AutoCloseable {

    @Override
    void close();
  }
}
