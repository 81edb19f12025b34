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

  @Override
  public String traceParent() {
    TraceContext span = tracer.currentTraceContext().context();
    return span == null
        ? null
        : TraceParent.of(span.traceId(), span.spanId(), Boolean.TRUE.equals(span.sampled()))
            .map(TraceParent::text)
            .orElse(null);
  }

  @Override
  public Scope enter(String traceParent) {
    try {
      return TraceParent.parse(traceParent)
          .map(this::contextOf)
          .<Scope>map(span -> tracer.currentTraceContext().newScope(span)::close)
          .orElse(() -> {});
    } catch (RuntimeException e) {
      log.debug("the calls are in no trace, because the tracer fails", e);
      return () -> {};
    }
  }

  private TraceContext contextOf(TraceParent parent) {
    return tracer
        .traceContextBuilder()
        .traceId(parent.traceId())
        .spanId(parent.spanId())
        .sampled(parent.isSampled())
        .build();
  }
}
