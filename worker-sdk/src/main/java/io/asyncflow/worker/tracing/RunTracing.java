package io.asyncflow.worker.tracing;

import io.asyncflow.worker.StageContext;

/**
 * Opens a span for each run of a worker. Implementations are thread-safe.
 *
 * @see io.asyncflow.worker.Worker.Builder#tracing
 */
public interface RunTracing {

  /** Traces nothing. */
  RunTracing OFF =
      new RunTracing() {
        @Override
        public RunSpan open(StageContext run) {
          return RunSpan.NONE;
        }

        @Override
        public String traceParent() {
          return null;
        }
      };

  /**
   * Starts the span of a run, on the thread that will run it. Its parent is the {@linkplain
   * StageContext#traceParent() trace parent} of the task; without one it begins a trace.
   */
  RunSpan open(StageContext run);

  /**
   * The W3C {@code traceparent} of the span that is current on the calling thread; {@code null} if
   * there is none. An {@link io.asyncflow.api.HttpFlowClient} sends it with each call if it was
   * {@linkplain io.asyncflow.api.HttpFlowClient#withTraceParentFrom told to}.
   */
  String traceParent();
}
