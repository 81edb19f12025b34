package io.asyncflow.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.codec.Field;
import io.asyncflow.api.codec.PayloadCodec;
import io.asyncflow.api.codec.SealingFlowClient;
import io.asyncflow.fake.FakeFlowServer;
import io.micrometer.tracing.CurrentTraceContext.Scope;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class FlowClientAutoConfigurationTest {

  private final FakeFlowServer server = new FakeFlowServer();
  private final List<TaskTypeSettings> saves = new CopyOnWriteArrayList<>();
  private final List<String> reasons = new CopyOnWriteArrayList<>();

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(FlowClientAutoConfiguration.class));

  private final ApplicationContextRunner withServer =
      application.withBean(
          FlowClient.class,
          () ->
              new ForwardingFlowClient(server) {
                @Override
                public void saveTaskType(
                    TaskTypeSettings settings,
                    Set<TaskTypeSettings.Removable> removed,
                    String operator,
                    String reason) {
                  super.saveTaskType(settings, removed, operator, reason);
                  reasons.add(reason);
                  saves.add(settings);
                }
              });

  @Test
  void urlGivesAClient() {
    application
        .withPropertyValues("asyncflow.client.url=http://127.0.0.1:1")
        .run(
            context ->
                assertThat(context.getBean(FlowClient.class)).isInstanceOf(HttpFlowClient.class));
    application.run(context -> assertThat(context).doesNotHaveBean(FlowClient.class));
  }

  @Test
  void clientOfTheApplicationTakesItsPlace() {
    application
        .withBean(FlowClient.class, () -> server)
        .withPropertyValues("asyncflow.client.url=http://127.0.0.1:1")
        .run(context -> assertThat(context.getBean(FlowClient.class)).isSameAs(server));
  }

  @Test
  void codecBeanSeals() {
    application
        .withBean(PayloadCodec.class, NoCodec::new)
        .withPropertyValues("asyncflow.client.url=http://127.0.0.1:1")
        .run(
            context ->
                assertThat(context.getBean(FlowClient.class))
                    .isInstanceOf(SealingFlowClient.class));
  }

  @Test
  void clientSendsTheTraceOfTheTracer() throws IOException {
    String parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    OtelTracer tracer =
        new OtelTracer(
            SdkTracerProvider.builder().build().get("test"),
            new OtelCurrentTraceContext(),
            event -> {});
    List<String> sent = new CopyOnWriteArrayList<>();
    HttpServer stub = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    stub.createContext(
        "/",
        call -> {
          sent.add(String.valueOf(call.getRequestHeaders().getFirst("traceparent")));
          call.sendResponseHeaders(503, -1);
          call.close();
        });
    stub.start();
    ApplicationContextRunner withUrl =
        application.withPropertyValues(
            "asyncflow.client.url=http://127.0.0.1:" + stub.getAddress().getPort());
    try {
      withUrl
          .withBean(Tracer.class, () -> tracer)
          .run(
              context -> {
                FlowClient client = context.getBean(FlowClient.class);
                CurrentTrace trace = context.getBean(CurrentTrace.class);
                TraceContext span =
                    tracer
                        .traceContextBuilder()
                        .traceId(parent.substring(3, 35))
                        .spanId(parent.substring(36, 52))
                        .sampled(true)
                        .build();
                try (Scope current = tracer.currentTraceContext().newScope(span)) {
                  assertThat(trace.traceParent()).isEqualTo(parent);
                  assertThatException().isThrownBy(() -> client.getTask("1_mail_task_1"));
                }
                assertThatException().isThrownBy(() -> client.getTask("1_mail_task_1"));
                assertThat(trace.traceParent()).isNull();
              });
      withUrl
          .withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
          .run(
              context -> {
                assertThat(context).doesNotHaveBean(CurrentTrace.class);
                FlowClient client = context.getBean(FlowClient.class);
                assertThatException().isThrownBy(() -> client.getTask("1_mail_task_1"));
              });
    } finally {
      stub.stop(0);
    }
    assertThat(sent).containsExactly(parent, "null", "null");
  }

  @Test
  void tracerThatFailsCostsTheTraceAlone() {
    Tracer withoutItsBridge =
        (Tracer)
            Proxy.newProxyInstance(
                Tracer.class.getClassLoader(),
                new Class<?>[] {Tracer.class},
                (proxy, method, arguments) -> {
                  throw new NoClassDefFoundError("bridge");
                });
    assertThat(new MicrometerTrace(withoutItsBridge).traceParent()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "asyncflow.client.url=localhost",
        "asyncflow.client.api-key=two words",
        "asyncflow.client.api-key-file=/nowhere/key",
        "asyncflow.client.ca-file=/nowhere/ca.pem",
        "asyncflow.client.request-timeout=0s"
      })
  void valueThatCannotBeUsedIsNamed(String property) {
    application
        .withPropertyValues("asyncflow.client.url=http://127.0.0.1:1", property)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOfSatisfying(
                        InvalidConfigurationPropertyValueException.class,
                        e -> {
                          assertThat(property).startsWith(e.getName() + "=");
                          assertThat(e.getMessage()).doesNotContain("two words");
                        }));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "asyncflow.client.types.mail.lease-second",
        "asyncflow.client.types.mail.lease-seconds.max",
        "asyncflow.client.types.mail.task-type",
        "asyncflow.client.types.mail.modify-time",
        "asyncflow.client.types.report.size"
      })
  void settingThatNoTypeHasIsToldWhichThereAre(String name) {
    withServer
        .withPropertyValues("asyncflow.client.types.mail.max-retry-num=5", name + "=60")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining(name + " is no setting of a task type")
                    .hasStackTraceContaining("lease-seconds, max-delivery"));
  }

  @Test
  void declaredTypesAreSavedWithWhatIsDeclared() {
    withServer
        .withPropertyValues(
            "asyncflow.client.types.mail.max-retry-num=5",
            "asyncflow.client.types.mail.lease-seconds=60",
            "asyncflow.client.types.mail.max-delivery=",
            "asyncflow.client.types.report.lease-seconds=",
            "asyncflow.client.types.acme_report.rateLimit=3")
        .withBean(
            "song", TaskTypeSettings.class, () -> TaskTypeSettings.named("song").withEvents(2))
        .run(
            context -> {
              await().until(() -> saves.size() == 3);
              assertThat(typeOf("mail").maxRetryNum()).isEqualTo(5);
              assertThat(typeOf("mail").leaseSeconds()).isEqualTo(60);
              assertThat(saves)
                  .as("empty")
                  .extracting(type -> type.maxDelivery())
                  .containsOnlyNulls();
              assertThat(typeOf("acme_report").rateLimit()).isEqualTo(3);
              assertThat(typeOf("song").events()).isEqualTo(2);
            });
  }

  @Test
  void equalTypeIsNotWritten() {
    ApplicationContextRunner declaring =
        withServer.withPropertyValues("asyncflow.client.types.Mail.max-retry-num=5");
    declaring.run(context -> awaitEndOfSaves(context.getBean(TaskTypeSaver.class)));
    assertThat(saves).hasSize(1);
    declaring
        .withPropertyValues("asyncflow.client.types.song.paused=1")
        .run(context -> awaitEndOfSaves(context.getBean(TaskTypeSaver.class)));
    assertThat(saves).extracting(TaskTypeSettings::taskType).containsExactly("Mail", "song");
  }

  @Test
  void saveNamesTheApplicationAsItsReason() {
    withServer
        .withPropertyValues(
            "spring.application.name=mail-service", "asyncflow.client.types.mail.max-retry-num=5")
        .run(context -> awaitEndOfSaves(context.getBean(TaskTypeSaver.class)));
    withServer
        .withPropertyValues("asyncflow.client.types.mail.max-retry-num=6")
        .run(context -> awaitEndOfSaves(context.getBean(TaskTypeSaver.class)));
    assertThat(reasons)
        .containsExactly("declared by the application mail-service", "declared by an application");
  }

  private static void awaitEndOfSaves(TaskTypeSaver saver) {
    await().until(() -> !saver.isRunning());
  }

  @Test
  void serverThatIsAwayIsAskedAgain() {
    server.setDown(true);
    withServer
        .withPropertyValues("asyncflow.client.types.mail.max-retry-num=5")
        .run(
            context -> {
              server.setDown(false);
              await().until(() -> saves.size() == 1);
            });
  }

  private TaskTypeSettings typeOf(String name) {
    return server.taskTypes().stream()
        .filter(type -> type.taskType().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Leaves everything as it is. */
  private static final class NoCodec implements PayloadCodec {

    @Override
    public String seal(Field field, String text) {
      return text;
    }

    @Override
    public String open(Field field, String text) {
      return text;
    }

    @Override
    public OutputStream sealing(Field field, OutputStream sealed) {
      return sealed;
    }

    @Override
    public InputStream opening(Field field, InputStream sealed) {
      return sealed;
    }
  }
}
