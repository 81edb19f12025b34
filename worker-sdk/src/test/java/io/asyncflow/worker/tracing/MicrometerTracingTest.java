package io.asyncflow.worker.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TraceParent;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** What lies in a trace from the create of a task to the end of its last stage. */
class MicrometerTracingTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String NO_PARENT = "0".repeat(16);

  private final MemoryTracer memory = new MemoryTracer();
  private final RunTracing tracing = new MicrometerTracing(memory.tracer());
  private final FakeFlowServer server =
      new FakeFlowServer()
          .withType("lark", Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(60))
          .withTraceParentFrom(tracing::traceParent);
  private final List<Worker> workers = new ArrayList<>();

  private static Worker.Builder aWorker(String id) {
    return Worker.builder().workerId(id).stopsWithTheJvm(false);
  }

  private void start(Worker.Builder builder) {
    Worker worker = builder.client(server).build();
    workers.add(worker);
    worker.start();
  }

  @AfterEach
  void close() {
    workers.forEach(Worker::close);
  }

  private static NewTask aTask(String stage) {
    return NewTask.of("lark", stage, "me", "");
  }

  private String createInASpan(String stage) {
    return memory.inSpan("call", () -> server.createTask(aTask(stage)));
  }

  private void awaitEnd(String taskId, TaskStatus status) throws InterruptedException {
    assertThat(server.awaitStatus(taskId, status, PATIENCE)).isTrue();
  }

  /** A span ends after its report is handed over, and so perhaps after the task. */
  private void awaitSpans(int count) {
    await().atMost(PATIENCE).until(() -> memory.spans().size() == count);
  }

  private static String tag(SpanData span, String name) {
    return span.getAttributes().get(AttributeKey.stringKey(name));
  }

  @Test
  void oneTraceLeadsFromTheCreateToAllThatComesOfIt() throws InterruptedException {
    Map<String, String> logged = new ConcurrentHashMap<>();
    start(
        aWorker("first")
            .tracing(tracing)
            .handler(
                "lark",
                "one",
                context -> {
                  server.createTask(aTask("called"));
                  return StageResult.next("two").andCreate(aTask("reported"));
                }));
    start(
        aWorker("second")
            .tracing(tracing)
            .handler(
                "lark",
                "two",
                context -> {
                  logged.putAll(MDC.getCopyOfContextMap());
                  return StageResult.done();
                })
            .handler("lark", "called", context -> StageResult.done())
            .handler("lark", "reported", context -> StageResult.done()));
    String taskId = createInASpan("one");
    awaitEnd(taskId, TaskStatus.SUCCESS);
    awaitSpans(5);

    SpanData call = memory.span("call");
    SpanData one = memory.span("lark/one");
    SpanData two = memory.span("lark/two");
    assertThat(memory.spans()).extracting(SpanData::getTraceId).containsOnly(call.getTraceId());
    assertThat(one.getParentSpanId()).isEqualTo(call.getSpanId());
    assertThat(two.getParentSpanId()).isEqualTo(call.getSpanId());
    assertThat(memory.span("lark/called").getParentSpanId()).isEqualTo(one.getSpanId());
    assertThat(memory.span("lark/reported").getParentSpanId()).isEqualTo(one.getSpanId());

    assertThat(logged)
        .containsEntry("traceId", call.getTraceId())
        .containsEntry("spanId", two.getSpanId())
        .containsEntry("taskId", taskId)
        .containsEntry("taskStage", "two")
        .containsEntry("taskAttempt", "1")
        .containsEntry("holdTraceId", server.getTask(taskId).traceId());
    assertThat(logged.get("holdTraceId")).isNotEqualTo(call.getTraceId());
    assertThat(two.getKind()).isEqualTo(SpanKind.CONSUMER);
    assertThat(tag(one, "asyncflow.task.id")).isEqualTo(taskId);
    assertThat(tag(one, "asyncflow.outcome")).isEqualTo("NEXT_STAGE");
    assertThat(tag(two, "asyncflow.stage")).isEqualTo("two");
    assertThat(tag(two, "asyncflow.outcome")).isEqualTo("SUCCESS");
  }

  @Test
  void failureIsAnErrorOfItsSpan() throws InterruptedException {
    start(
        aWorker("first")
            .tracing(tracing)
            .handler(
                "lark",
                "one",
                context -> {
                  if (context.attempt() == 1) {
                    throw new IllegalStateException("no tape");
                  }
                  return StageResult.fail("never");
                }));
    awaitEnd(createInASpan("one"), TaskStatus.FAILED);
    awaitSpans(3);

    List<SpanData> runs =
        memory.spans().stream()
            .filter(span -> span.getName().equals("lark/one"))
            // A span ends after its report, on which the next run may have begun.
            .sorted(Comparator.comparing(span -> tag(span, "asyncflow.attempt")))
            .toList();
    assertThat(runs)
        .extracting(span -> span.getStatus().getStatusCode())
        .containsOnly(StatusCode.ERROR);
    assertThat(runs)
        .extracting(span -> span.getStatus().getDescription())
        .containsExactly("no tape", "never");
    assertThat(runs).extracting(span -> tag(span, "asyncflow.attempt")).containsExactly("1", "2");
    assertThat(runs)
        .extracting(SpanData::getTraceId)
        .containsOnly(memory.span("call").getTraceId());
  }

  @Test
  void runOfATaskWithoutATraceBeginsOne() throws InterruptedException {
    start(aWorker("first").tracing(tracing).handler("lark", "one", context -> StageResult.done()));
    awaitEnd(server.createTask(aTask("one")), TaskStatus.SUCCESS);
    awaitSpans(1);
    assertThat(memory.span("lark/one").getParentSpanId()).isEqualTo(NO_PARENT);
  }

  @Test
  void eachTaskOfABatchHasASpanInItsOwnTrace() throws InterruptedException {
    AtomicReference<String> current = new AtomicReference<>("");
    List<String> parents = new ArrayList<>();
    List<String> tasks = List.of(createInASpan("batch"), createInASpan("batch"));
    start(
        aWorker("first")
            .threads(1)
            .tracing(tracing)
            .batchHandler(
                "lark",
                "batch",
                runs -> {
                  current.set(tracing.traceParent());
                  runs.forEach(
                      run -> {
                        parents.add(run.context().traceParent().orElseThrow());
                        run.complete(StageResult.done());
                      });
                },
                StageNeeds.nothing()));
    for (String taskId : tasks) {
      awaitEnd(taskId, TaskStatus.SUCCESS);
    }
    awaitSpans(4);

    List<SpanData> calls = spans("call");
    List<SpanData> runs = spans("lark/batch");
    assertThat(runs)
        .extracting(SpanData::getParentSpanId)
        .containsExactlyInAnyOrderElementsOf(calls.stream().map(SpanData::getSpanId).toList());
    assertThat(parents)
        .extracting(text -> TraceParent.parse(text).orElseThrow().spanId())
        .containsExactlyInAnyOrderElementsOf(runs.stream().map(SpanData::getSpanId).toList());
    assertThat(current.get()).as("the current span of both").isNull();
  }

  private List<SpanData> spans(String name) {
    return memory.spans().stream().filter(span -> span.getName().equals(name)).toList();
  }

  @Test
  void workerThatDoesNotTraceHandsTheTraceOn() throws InterruptedException {
    AtomicReference<StageContext> seen = new AtomicReference<>();
    Map<String, String> logged = new ConcurrentHashMap<>();
    start(
        aWorker("first")
            .handler(
                "lark",
                "one",
                context -> {
                  seen.set(context);
                  logged.putAll(MDC.getCopyOfContextMap());
                  return StageResult.done().andCreate(aTask("two"));
                })
            .handler("lark", "two", context -> StageResult.done()));
    String taskId = createInASpan("one");
    awaitEnd(taskId, TaskStatus.SUCCESS);

    String call = server.getTask(taskId).traceParent();
    assertThat(TraceParent.parse(call).orElseThrow().spanId())
        .isEqualTo(memory.span("call").getSpanId());
    assertThat(seen.get().traceParent()).contains(call);
    assertThat(logged)
        .containsEntry("traceId", memory.span("call").getTraceId())
        .containsEntry("holdTraceId", seen.get().traceId());
    String created = server.accepted().get(0).creates().get(0).taskStage();
    assertThat(created).isEqualTo("two");
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                server.accepted().stream()
                    .anyMatch(
                        report ->
                            !report.taskId().equals(taskId)
                                && call.equals(server.getTask(report.taskId()).traceParent())));
    assertThat(memory.spans()).extracting(SpanData::getName).containsExactly("call");
  }
}
