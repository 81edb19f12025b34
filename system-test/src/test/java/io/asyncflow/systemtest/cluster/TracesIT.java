package io.asyncflow.systemtest.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskFollower;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.tracing.MicrometerTracing;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One trace: a call by curl, a server process, and two workers, each with its OpenTelemetry. */
@Tag("faults")
class TracesIT {

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN_OF_CURL = "b7ad6b7169203331";
  private static final Pattern TASK_ID = Pattern.compile("\"taskId\":\"([^\"]+)\"");

  /** A worker for one stage, and what it has exported. */
  private record Traced(Worker worker, InMemorySpanExporter exporter) implements AutoCloseable {

    static Traced start(Cluster cluster, ServerNode server, String stage, StageHandler handler) {
      InMemorySpanExporter exporter = InMemorySpanExporter.create();
      SdkTracerProvider provider =
          SdkTracerProvider.builder()
              .addSpanProcessor(SimpleSpanProcessor.create(exporter))
              .build();
      OtelTracer tracer =
          new OtelTracer(provider.get("worker"), new OtelCurrentTraceContext(), event -> {});
      Worker worker =
          Worker.builder()
              .url(server.url().toString())
              .workerId("runs-" + stage)
              .spoolDir(cluster.directory().resolve("spool-" + stage))
              .stopsWithTheJvm(false)
              .tracing(new MicrometerTracing(tracer))
              .handler("letter", stage, handler)
              .build();
      worker.start();
      return new Traced(worker, exporter);
    }

    /** The span of its only run; it ends a moment after the report. */
    SpanData span() {
      await().atMost(PATIENCE).until(() -> !exporter.getFinishedSpanItems().isEmpty());
      assertThat(exporter.getFinishedSpanItems()).hasSize(1);
      return exporter.getFinishedSpanItems().get(0);
    }

    @Override
    public void close() {
      worker.close();
    }
  }

  private static String createByCurl(URI server) throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(server + "/api/task/createTask"))
                    .header("Content-Type", "application/json")
                    .header("traceparent", "00-" + TRACE + "-" + SPAN_OF_CURL + "-01")
                    .POST(
                        BodyPublishers.ofString(
                            "{\"taskData\":{\"userId\":\"u\",\"taskType\":\"letter\","
                                + "\"taskStage\":\"write\"}}"))
                    .build(),
                BodyHandlers.ofString());
    assertThat(answer.headers().firstValue("X-Trace-Id")).contains(TRACE);
    Matcher id = TASK_ID.matcher(answer.body());
    assertThat(id.find()).as(answer.body()).isTrue();
    return id.group(1);
  }

  @Test
  void oneTraceIdLeadsFromCurlToTheSecondStageOnAnotherWorker() throws Exception {
    AtomicReference<String> current = new AtomicReference<>();
    StageHandler send =
        context -> {
          current.set(Span.current().getSpanContext().getTraceId());
          return StageResult.done();
        };
    try (Cluster cluster = Cluster.startWithoutRedis("traces")) {
      ServerNode server = cluster.startServer(plan -> plan.withHeap("192m"));
      server.client().saveTaskType(TaskTypeSettings.named("letter"));
      try (Traced first =
              Traced.start(cluster, server, "write", context -> StageResult.next("send"));
          Traced second = Traced.start(cluster, server, "send", send)) {
        String taskId = createByCurl(server.url());
        Task end = new TaskFollower(server.client()).follow(taskId, PATIENCE);
        assertThat(end.taskStatus()).isEqualTo(TaskStatus.SUCCESS);

        assertThat(first.span().getName()).isEqualTo("letter/write");
        assertThat(second.span().getName()).isEqualTo("letter/send");
        for (Traced worker : new Traced[] {first, second}) {
          assertThat(worker.span().getTraceId()).isEqualTo(TRACE);
          assertThat(worker.span().getParentSpanId()).isEqualTo(SPAN_OF_CURL);
        }
        assertThat(current.get()).as("what the second stage logs").isEqualTo(TRACE);
      }
    }
  }
}
