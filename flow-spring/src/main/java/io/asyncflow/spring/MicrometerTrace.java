package io.asyncflow.spring;

import io.asyncflow.api.TraceParent;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The current span of Micrometer Tracing, and so of OpenTelemetry or Brave. */
final class MicrometerTrace implements CurrentTrace {

  private static final Logger log = LoggerFactory.getLogger(MicrometerTrace.class);

  private final Tracer tracer;

  MicrometerTrace(Tracer tracer) {
    this.tracer = tracer;
  }

  /** A tracer that fails must not fail the create, or the transaction around it. */
  @Override
  public String traceParent() {
    try {
      TraceContext span = tracer.currentTraceContext().context();
      return span == null
          ? null
          : TraceParent.of(span.traceId(), span.spanId(), Boolean.TRUE.equals(span.sampled()))
              .map(TraceParent::text)
              .orElse(null);
    } catch (Throwable e) { // errors too, as of a tracer that lacks one of its classes
      log.debug("the calls are in no trace, because the tracer fails", e);
      return null;
    }
  }
}
