package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.TaskFollower;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.rules.TaskType;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.tracing.MicrometerTracing;
import io.micrometer.tracing.otel.bridge.EventPublishingContextWrapper;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.otel.bridge.Slf4JEventListener;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** One trace: a call by curl, a server, and two workers with an OpenTelemetry of their own. */
@RunningServer
class TracedWorkersIT {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN_OF_CURL = "b7ad6b7169203331";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  static {
    Slf4JEventListener logging = new Slf4JEventListener(); // as Spring Boot does
    ContextStorage.addWrapper(new EventPublishingContextWrapper(logging::onEvent));
  }

  @Autowired Given given;
  @LocalServerPort int port;
  @TempDir Path spools;

  private Worker worker(
      InMemorySpanExporter exporter, String type, String stage, StageHandler run) {
    OtelTracer tracer =
        new OtelTracer(
            SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                .build()
                .get("worker"),
            new OtelCurrentTraceContext(),
            event -> {});
    return Worker.builder()
        .url("http://127.0.0.1:" + port)
        .workerId("runs-" + stage)
        .spoolDir(spools.resolve(stage))
        .stopsWithTheJvm(false)
        .tracing(new MicrometerTracing(tracer))
        .handler(type, stage, run)
        .build();
  }

  private static SpanData theSpan(InMemorySpanExporter exporter) {
    await().atMost(PATIENCE).until(() -> !exporter.getFinishedSpanItems().isEmpty());
    assertThat(exporter.getFinishedSpanItems()).hasSize(1);
    return exporter.getFinishedSpanItems().get(0);
  }

  @Test
  void oneTraceIdLeadsFromCurlToTheLogOfTheSecondStageOnAnotherWorker() throws Exception {
    TaskType type = given.aType().create();
    Logger log = (Logger) LoggerFactory.getLogger("handler of " + type);
    ListAppender<ILoggingEvent> lines =
        new ListAppender<>() {
          @Override
          protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing(); // reads the logging context of this thread
            super.append(event);
          }
        };
    lines.start();
    log.addAppender(lines);
    log.setLevel(Level.INFO);
    InMemorySpanExporter first = InMemorySpanExporter.create();
    InMemorySpanExporter second = InMemorySpanExporter.create();
    StageHandler two =
        context -> {
          log.info("sends the letter");
          return StageResult.done();
        };
    try (Worker one = worker(first, type.name(), "one", context -> StageResult.next("two"));
        Worker other = worker(second, type.name(), "two", two)) {
      one.start();
      other.start();
      Wire wire = new Wire(port);
      Wire.Answer created =
          wire.send(
              wire.request("/api/task/createTask")
                  .header("Content-Type", "application/json")
                  .header("traceparent", "00-" + TRACE + "-" + SPAN_OF_CURL + "-01")
                  .POST(
                      BodyPublishers.ofString(
                          "{\"taskData\":{\"userId\":\"u\",\"taskStage\":\"one\",\"taskType\":\""
                              + type
                              + "\"}}")));
      assertThat(created.header("X-Trace-Id")).isEqualTo(TRACE);
      String taskId = created.result().path("taskId").asString();
      FlowClient flow = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null);
      assertThat(new TaskFollower(flow).follow(taskId, PATIENCE).taskStatus())
          .isEqualTo(TaskStatus.SUCCESS);

      SpanData ofOne = theSpan(first);
      SpanData ofTwo = theSpan(second);
      assertThat(ofOne.getName()).isEqualTo(type + "/one");
      assertThat(ofTwo.getName()).isEqualTo(type + "/two");
      for (SpanData span : new SpanData[] {ofOne, ofTwo}) {
        assertThat(span.getTraceId()).isEqualTo(TRACE);
        assertThat(span.getParentSpanId()).isEqualTo(SPAN_OF_CURL);
      }
      assertThat(written(lines.list.get(0)))
          .isEqualTo(
              "traceId=%s spanId=%s taskId=%s sends the letter"
                  .formatted(TRACE, ofTwo.getSpanId(), taskId));
    } finally {
      log.detachAppender(lines);
    }
  }

  private static String written(ILoggingEvent event) {
    PatternLayout layout = new PatternLayout();
    layout.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
    layout.setPattern("traceId=%X{traceId} spanId=%X{spanId} taskId=%X{taskId} %msg");
    layout.start();
    return layout.doLayout(event);
  }
}
