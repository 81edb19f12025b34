package io.asyncflow.worker.tracing;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.otel.bridge.EventPublishingContextWrapper;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.otel.bridge.Slf4JEventListener;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.function.Supplier;

/**
 * The OpenTelemetry of one process, which keeps what it exports; as with Spring Boot, the ids of
 * the current span are in the logging context.
 */
public final class MemoryTracer {

  static {
    Slf4JEventListener logging = new Slf4JEventListener();
    ContextStorage.addWrapper(new EventPublishingContextWrapper(logging::onEvent));
  }

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final Tracer tracer =
      new OtelTracer(
          SdkTracerProvider.builder()
              .addSpanProcessor(SimpleSpanProcessor.create(exporter))
              .build()
              .get("test"),
          new OtelCurrentTraceContext(),
          event -> {});

  public Tracer tracer() {
    return tracer;
  }

  /** What has ended. */
  public List<SpanData> spans() {
    return exporter.getFinishedSpanItems();
  }

  /** The only span of this name that has ended. */
  SpanData span(String name) {
    List<SpanData> named = spans().stream().filter(span -> span.getName().equals(name)).toList();
    if (named.size() != 1) {
      throw new AssertionError(named.size() + " spans " + name + " in " + spans());
    }
    return named.get(0);
  }

  /** Makes a call in a span of its own, which begins a trace. */
  <T> T inSpan(String name, Supplier<T> call) {
    Span span = tracer.nextSpan().name(name).start();
    try (Tracer.SpanInScope current = tracer.withSpan(span)) {
      return call.get();
    } finally {
      span.end();
    }
  }
}
