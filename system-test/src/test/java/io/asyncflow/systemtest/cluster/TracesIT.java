package io.asyncflow.systemtest.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskFollower;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.stack.ServerProgram;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.tracing.MicrometerTracing;
import io.micrometer.tracing.otel.bridge.EventPublishingContextWrapper;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.otel.bridge.Slf4JEventListener;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One trace: a call by curl, a server process, a worker here and one in a process of its own, each
 * with its OpenTelemetry.
 */
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
      Worker worker =
          Worker.builder()
              .url(server.url().toString())
              .workerId("runs-" + stage)
              .spoolDir(cluster.directory().resolve("spool-" + stage))
              .stopsWithTheJvm(false)
              .tracing(new MicrometerTracing(tracer(exporter)))
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

  private static OtelTracer tracer(SpanExporter exporter) {
    SdkTracerProvider provider =
        SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();
    return new OtelTracer(provider.get("worker"), new OtelCurrentTraceContext(), event -> {});
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

  /** The program of the second worker; what it logs and its spans are its output. */
  static final class Sender {

    private static final Logger log = LoggerFactory.getLogger(Sender.class);

    /**
     * @param args the address of the server, and a directory to spool in
     */
    public static void main(String[] args) throws IOException {
      Slf4JEventListener logging = new Slf4JEventListener(); // as Spring Boot has one
      ContextStorage.addWrapper(new EventPublishingContextWrapper(logging::onEvent));
      Worker worker =
          Worker.builder()
              .url(args[0])
              .workerId("sender")
              .spoolDir(Path.of(args[1]))
              .tracing(new MicrometerTracing(tracer(new PrintingExporter())))
              .handler(
                  "letter",
                  "send",
                  context -> {
                    log.info("the letter is sent");
                    return StageResult.done();
                  })
              .build();
      worker.start();
      System.in.transferTo(OutputStream.nullOutputStream()); // until the test ends
      worker.close();
    }
  }

  private static final class PrintingExporter implements SpanExporter {

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      for (SpanData span : spans) {
        System.out.println(
            span.getName() + " in " + span.getTraceId() + " of " + span.getParentSpanId());
      }
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  /** A process whose log lines have the fields of the logging context, as those of Spring Boot. */
  private static WorkerNode launchSender(Cluster cluster, ServerNode server) throws IOException {
    Path directory = Files.createDirectories(cluster.directory().resolve("sender"));
    Path logback =
        Files.writeString(
            directory.resolve("logback.xml"),
            """
            <configuration>
              <appender name="console" class="ch.qos.logback.core.ConsoleAppender">
                <encoder>
                  <pattern>%5p [%X{traceId}-%X{spanId}] %X{taskStage} %X{holdTraceId} : %m%n</pattern>
                </encoder>
              </appender>
              <root level="INFO"><appender-ref ref="console"/></root>
            </configuration>
            """);
    String classPath =
        Stream.concat(
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                    .filter(entry -> !entry.contains("slf4j-simple")),
                logbackOfTheServer().stream().map(Path::toString))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command =
        Java.command(
            "-Xmx128m",
            "-Dlogback.configurationFile=" + logback,
            "-cp",
            classPath,
            Sender.class.getName(),
            server.url().toString(),
            directory.resolve("spool").toString());
    return cluster.launchProgram("sender", command, Map.of(), "");
  }

  /** Here slf4j-simple logs, which has no logging context. */
  private static List<Path> logbackOfTheServer() throws IOException {
    try (Stream<Path> files =
        Files.walk(ServerProgram.of(new Installation(Java.home())).jar().getParent())) {
      return files.filter(file -> file.getFileName().toString().startsWith("logback-")).toList();
    }
  }

  @Test
  void oneTraceIdLeadsFromCurlToTheLogLineOfTheSecondStageOnAnotherWorker() throws Exception {
    try (Cluster cluster = Cluster.startWithoutRedis("traces")) {
      ServerNode server = cluster.startServer(plan -> plan.withHeap("192m"));
      server.client().saveTaskType(TaskTypeSettings.named("letter"));
      WorkerNode second = launchSender(cluster, server);
      try (Traced first =
          Traced.start(cluster, server, "write", context -> StageResult.next("send"))) {
        String taskId = createByCurl(server.url());
        Task end = new TaskFollower(server.client()).follow(taskId, PATIENCE);
        assertThat(end.taskStatus()).isEqualTo(TaskStatus.SUCCESS);

        SpanData span = first.span();
        assertThat(span.getName()).isEqualTo("letter/write");
        assertThat(span.getTraceId()).isEqualTo(TRACE);
        assertThat(span.getParentSpanId()).isEqualTo(SPAN_OF_CURL);
        String spanOfTheSecond = "letter/send in " + TRACE + " of " + SPAN_OF_CURL;
        await().atMost(PATIENCE).until(() -> second.hasPrinted(spanOfTheSecond));
        assertThat(Files.readAllLines(cluster.directory().resolve("logs/sender.log")))
            .as("the trace of curl, and the hold by which the server knows the run")
            .anySatisfy(
                line ->
                    assertThat(line)
                        .matches(
                            " INFO \\["
                                + TRACE
                                + "-[0-9a-f]{16}] send "
                                + end.traceId()
                                + " : the letter is sent"));
        assertThat(end.traceId()).isNotEqualTo(TRACE);
      }
    }
  }
}
