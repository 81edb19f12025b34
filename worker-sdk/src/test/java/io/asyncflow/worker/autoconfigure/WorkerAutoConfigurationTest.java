package io.asyncflow.worker.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.codec.Field;
import io.asyncflow.api.codec.PayloadCodec;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.Cron;
import io.asyncflow.worker.InvalidSettingException;
import io.asyncflow.worker.InvalidStageException;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.StubHttpServer;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.WorkerSettings;
import io.asyncflow.worker.WorkerState;
import io.asyncflow.worker.tracing.MemoryTracer;
import io.asyncflow.worker.tracing.RunTracing;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.tracing.Tracer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.aop.support.Pointcuts;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;

class WorkerAutoConfigurationTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final FakeFlowServer server = new FakeFlowServer().withType("lark");
  private final ApplicationContextRunner context =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(WorkerAutoConfiguration.class));

  private ApplicationContextRunner withServer() {
    return context.withBean(
        WorkerAutoConfiguration.CLIENT_BEAN, FakeFlowServer.class, () -> server);
  }

  @Stage(type = "lark", stage = "class")
  static class ClassStage implements StageHandler {
    @Override
    public StageResult handle(StageContext context) {
      return StageResult.done("class");
    }
  }

  static class MethodStages {
    @Stage(type = "lark", stage = "method")
    public StageResult run(StageContext context) {
      return StageResult.done("method");
    }

    @Stage(type = "lark", stage = "slot", slot = true)
    StageResult onSlot(StageContext context) {
      return StageResult.done(context.slot().orElseThrow().device());
    }
  }

  private String resultOf(String stage) throws InterruptedException {
    String taskId = server.createTask(NewTask.of("lark", stage, "me", ""));
    assertThat(server.awaitStatus(taskId, TaskStatus.SUCCESS, PATIENCE)).isTrue();
    return server.getTask(taskId).result();
  }

  private static Worker workerOf(
      org.springframework.context.ApplicationContext applicationContext) {
    return applicationContext.getBean(WorkerLifecycle.class).worker().orElseThrow();
  }

  /** Binds as Spring Boot's Actuator does: before the worker starts. */
  static class Meters {
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    Meters(MeterBinder binder) {
      binder.bindTo(registry);
    }
  }

  @Test
  void runsAreTracedIfTheApplicationHasATracer() {
    MemoryTracer memory = new MemoryTracer();
    ApplicationContextRunner app =
        withServer()
            .withConfiguration(AutoConfigurations.of(WorkerTracingAutoConfiguration.class))
            .withBean(ClassStage.class);
    app.withBean(Tracer.class, memory::tracer)
        .run(
            traced -> {
              resultOf("class");
              await().atMost(PATIENCE).until(() -> memory.spans().size() == 1);
              assertThat(traced.getBean(RunTracing.class).traceParent()).isNull();
            });
    app.run(
        plain -> {
          resultOf("class");
          assertThat(plain.getBean(RunTracing.class)).isSameAs(RunTracing.OFF);
        });
    app.withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
        .run(
            without -> {
              resultOf("class");
              assertThat(without).doesNotHaveBean(RunTracing.class);
            });
    assertThat(memory.spans()).hasSize(1);
  }

  @Test
  void workerIsInTheMetrics() {
    withServer()
        .withConfiguration(AutoConfigurations.of(WorkerMetricsAutoConfiguration.class))
        .withBean(ClassStage.class)
        .withBean(Meters.class)
        .run(
            app -> {
              SimpleMeterRegistry meters = app.getBean(Meters.class).registry;
              assertThat(resultOf("class")).isEqualTo("class");
              // Told when the report is queued, which may have arrived before.
              await()
                  .atMost(PATIENCE)
                  .until(() -> meters.find("asyncflow.worker.run").timer() != null);
              Timer run = meters.get("asyncflow.worker.run").tag("stage", "class").timer();
              assertThat(run.count()).isEqualTo(1);
              assertThat(run.getId().getTag("outcome")).isEqualTo("success");
              assertThat(meters.get("asyncflow.worker.local.retries").functionCounter().count())
                  .isZero();
              assertThat(
                      meters
                          .get("asyncflow.worker.threads.free")
                          .tag("type", "lark")
                          .gauge()
                          .value())
                  .isPositive();
              assertThat(meters.get("asyncflow.worker.runs").tag("state", "queued").gauge().value())
                  .isZero();
            });
  }

  @Test
  void nothingIsMeasuredWithoutARegistry() {
    withServer()
        .withConfiguration(AutoConfigurations.of(WorkerMetricsAutoConfiguration.class))
        .withBean(ClassStage.class)
        .run(app -> assertThat(resultOf("class")).isEqualTo("class"));
  }

  @Test
  void beansWithStagesMakeAWorker() {
    withServer()
        .withBean(ClassStage.class)
        .withBean(MethodStages.class)
        .withPropertyValues("asyncflow.worker.slots.cuda=2")
        .run(
            started -> {
              assertThat(resultOf("class")).isEqualTo("class");
              assertThat(resultOf("method")).isEqualTo("method");
              assertThat(resultOf("slot")).isEqualTo("cuda");
            });
  }

  /** A codec whose class a property can name. */
  static class MarkingCodec implements PayloadCodec {
    private static final String MARK = "sealed:";

    @Override
    public String seal(Field field, String text) {
      return MARK + text;
    }

    @Override
    public String open(Field field, String text) {
      return text.startsWith(MARK) ? text.substring(MARK.length()) : text;
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

  interface Work {
    StageResult run(StageContext context);
  }

  @Configuration(proxyBeanMethods = false)
  static class LazyBeans {
    @Bean
    @Lazy
    Work behindAnInterface() {
      return new Work() {
        @Override
        @Stage(type = "lark", stage = "lazy")
        public StageResult run(StageContext context) {
          return StageResult.done("lazy");
        }
      };
    }

    @Bean
    @Lazy
    Work thatCannotBeMade() {
      throw new IllegalStateException("what it connects to is not there yet");
    }

    @Bean
    @Lazy
    Runnable ofALibrary() {
      throw new IllegalStateException("it is made early");
    }
  }

  /** Until it is made, such a bean has the type that its method returns. */
  @Test
  void aLazyBeanBehindAnInterfaceOfTheApplicationIsAHandler() {
    withServer()
        .withInitializer(
            application ->
                AutoConfigurationPackages.register(
                    (BeanDefinitionRegistry) application.getBeanFactory(),
                    LazyBeans.class.getPackageName()))
        .withUserConfiguration(LazyBeans.class)
        .run(started -> assertThat(resultOf("lazy")).isEqualTo("lazy"));
  }

  @Test
  void aBeanIsTheCodec() {
    withServer()
        .withBean(ClassStage.class)
        .withBean(MarkingCodec.class)
        .run(started -> assertThat(resultOf("class")).isEqualTo("sealed:class"));
  }

  @Test
  void aPropertyNamesTheCodec() {
    withServer()
        .withBean(ClassStage.class)
        .withPropertyValues("asyncflow.worker.codec=" + MarkingCodec.class.getName())
        .run(started -> assertThat(resultOf("class")).isEqualTo("sealed:class"));
  }

  @Test
  void aCodecThatCannotBeMadeIsNamed() {
    for (String name :
        List.of("no.such.Codec", "java.lang.String", "io.asyncflow.seal.TinkCodec")) {
      withServer()
          .withBean(ClassStage.class)
          .withPropertyValues("asyncflow.worker.codec=" + name)
          .run(
              failed ->
                  assertThat(failed)
                      .getFailure()
                      .rootCause()
                      .hasMessageContaining("codec")
                      .hasMessageContaining(name));
    }
  }

  @Test
  void ofABeanAndAPropertyNeitherIsPassedOver() {
    withServer()
        .withBean(ClassStage.class)
        .withBean(MarkingCodec.class)
        .withPropertyValues("asyncflow.worker.codec=" + MarkingCodec.class.getName())
        .run(
            failed ->
                assertThat(failed)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("PayloadCodec bean"));
  }

  @Configuration(proxyBeanMethods = false)
  static class Advised {
    final AtomicInteger calls = new AtomicInteger();

    /** Interfaces are proxied as such, other classes by a subclass. */
    @Bean
    static DefaultAdvisorAutoProxyCreator proxies() {
      return new DefaultAdvisorAutoProxyCreator();
    }

    @Bean
    DefaultPointcutAdvisor counting() {
      MethodInterceptor count =
          invocation -> {
            calls.incrementAndGet();
            return invocation.proceed();
          };
      NameMatchMethodPointcut handlers = new NameMatchMethodPointcut();
      handlers.setMappedNames("handle", "run");
      handlers.setClassFilter(ClassStage.class::equals);
      return new DefaultPointcutAdvisor(
          Pointcuts.union(handlers, new AnnotationMatchingPointcut(null, Stage.class)), count);
    }
  }

  @Test
  void adviceRoundAHandlerIsHeeded() {
    withServer()
        .withUserConfiguration(Advised.class)
        .withBean(ClassStage.class)
        .withBean(MethodStages.class)
        .run(
            started -> {
              assertThat(resultOf("class")).isEqualTo("class");
              assertThat(resultOf("method")).isEqualTo("method");
              assertThat(started.getBean(Advised.class).calls).hasValue(2);
            });
  }

  @Test
  void aContextThatIsStoppedAndStartedAgainWorksAgain() {
    withServer()
        .withBean(ClassStage.class)
        .run(
            started -> {
              started.getSourceApplicationContext().stop();
              assertThat(workerOf(started).state()).isEqualTo(WorkerState.STOPPED);
              started.getSourceApplicationContext().start();
              assertThat(resultOf("class")).isEqualTo("class");
            });
  }

  @Test
  void theWorkerEndsWithTheContext() {
    Worker[] worker = new Worker[1];
    withServer()
        .withBean(ClassStage.class)
        .run(
            started -> {
              worker[0] = workerOf(started);
              assertThat(worker[0].state()).isEqualTo(WorkerState.RUNNING);
              assertThat(started.getBean(WorkerLifecycle.class).isRunning()).isTrue();
            });
    assertThat(worker[0].state()).isEqualTo(WorkerState.STOPPED);
  }

  @Test
  void propertiesReachTheWorker() {
    withServer()
        .withBean(ClassStage.class)
        .withPropertyValues(
            "asyncflow.worker.worker-id=w7",
            "asyncflow.worker.threads=3",
            "asyncflow.worker.prefetch=5",
            "asyncflow.worker.backlog-threshold=99",
            "asyncflow.worker.shutdown-grace=7s",
            "asyncflow.worker.outage-patience=8m",
            "asyncflow.worker.labels.rack=12",
            "asyncflow.worker.stuck-threshold=4",
            "asyncflow.worker.version=7",
            "asyncflow.worker.spool-dir=/somewhere/else")
        .withInitializer(
            starting ->
                starting
                    .getEnvironment()
                    .getPropertySources()
                    .addFirst(
                        new MapPropertySource(
                            "devices",
                            Map.of(
                                "asyncflow.worker.slots.[cuda:0]", 2,
                                "asyncflow.worker.slots.[cuda:1]", 1))))
        .run(
            started -> {
              WorkerSettings settings = workerOf(started).settings();
              assertThat(settings.workerId()).isEqualTo("w7");
              assertThat(settings.threads()).isEqualTo(3);
              assertThat(settings.prefetch()).isEqualTo(5);
              assertThat(settings.backlogThreshold()).isEqualTo(99);
              assertThat(settings.shutdownGrace()).isEqualTo(Duration.ofSeconds(7));
              assertThat(settings.outagePatience()).isEqualTo(Duration.ofMinutes(8));
              assertThat(settings.labels()).containsEntry("rack", "12");
              assertThat(settings.stuckThreshold()).isEqualTo(4);
              assertThat(settings.version()).isEqualTo(7);
              assertThat(settings.spoolDir()).isEqualTo(Path.of("/somewhere/else"));
              assertThat(settings.slots()).containsEntry("cuda:0", 2).containsEntry("cuda:1", 1);
            });
  }

  @Test
  void theDefaultsOfThePropertiesAreThoseOfTheWorker() {
    withServer()
        .withBean(ClassStage.class)
        .run(
            started -> {
              WorkerSettings settings = workerOf(started).settings();
              WorkerSettings defaults = WorkerSettings.defaults();
              assertThat(settings)
                  .usingRecursiveComparison()
                  .ignoringFields("workerId", "spoolDir")
                  .isEqualTo(defaults);
              assertThat(settings.spoolDir()).as("with a client of its own").isNull();
            });
    context
        .withBean(ClassStage.class)
        .withBean("forCreates", FakeFlowServer.class, () -> server)
        .withPropertyValues("FLOW_URL=http://127.0.0.1:1")
        .run(
            started ->
                assertThat(workerOf(started).settings().spoolDir())
                    .isEqualTo(WorkerSettings.defaults().spoolDir()));
  }

  @Test
  void theSpoolCanBeTurnedOff() {
    context
        .withBean(ClassStage.class)
        .withPropertyValues("FLOW_URL=http://127.0.0.1:1", "asyncflow.worker.spool-dir=none")
        .run(started -> assertThat(workerOf(started).settings().spoolDir()).isNull());
  }

  @Test
  void theEnvironmentNamesTheServerAndTheKey() throws IOException {
    try (StubHttpServer http = new StubHttpServer()) {
      context
          .withBean(ClassStage.class)
          .withPropertyValues("FLOW_URL=" + http.url(), "FLOW_API_KEY=from-env")
          .run(
              started -> {
                await().atMost(PATIENCE).until(() -> !http.seen("hold_task").isEmpty());
                assertThat(http.seen("hold_task").get(0).authorization())
                    .isEqualTo("Bearer from-env");
              });
    }
  }

  static class ScheduledStage {
    @Stage(type = "lark", stage = "nightly")
    @Cron(name = "nightly", value = "${nightly.cron}", zone = "Europe/Berlin", revision = 3)
    StageResult run(StageContext context) {
      return StageResult.done();
    }
  }

  @Test
  void theSchedulesOfBeansAreSaved() throws IOException {
    try (StubHttpServer http = new StubHttpServer()) {
      context
          .withBean(ScheduledStage.class)
          .withPropertyValues("FLOW_URL=" + http.url(), "nightly.cron=0 0 3 * * *")
          .run(
              started -> {
                await().atMost(PATIENCE).until(() -> !http.seen("saveAll").isEmpty());
                assertThat(http.seen("saveAll").get(0).body())
                    .contains(
                        "\"name\":\"nightly\",\"cron\":\"0 0 3 * * *\",\"zone\":\"Europe/Berlin\"",
                        "\"taskStage\":\"nightly\"",
                        "\"revision\":3");
              });
    }
  }

  static class ScheduledAlone {
    @Cron(name = "nightly", value = "@daily")
    StageResult run(StageContext context) {
      return StageResult.done();
    }
  }

  @Test
  void aScheduleWithoutAStageStopsTheStart() {
    withServer()
        .withBean(ClassStage.class)
        .withBean(ScheduledAlone.class)
        .run(
            started ->
                assertThat(started)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(InvalidStageException.class)
                    .hasMessageContaining("which has no @Stage"));
  }

  @Test
  void aFileMayHoldTheKey(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("key"), "from-file\n");
    try (StubHttpServer http = new StubHttpServer()) {
      context
          .withBean(ClassStage.class)
          .withPropertyValues("FLOW_URL=" + http.url(), "FLOW_API_KEY_FILE=" + file)
          .run(
              started -> {
                await().atMost(PATIENCE).until(() -> !http.seen("hold_task").isEmpty());
                assertThat(http.seen("hold_task").get(0).authorization())
                    .isEqualTo("Bearer from-file");
              });
    }
  }

  @Test
  void twoKeysAreOneTooMany() {
    context
        .withBean(ClassStage.class)
        .withPropertyValues("FLOW_API_KEY=secret", "asyncflow.worker.api-key-file=/run/key")
        .run(
            started ->
                assertThat(started)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessage("apiKeyFile must be unset where FLOW_API_KEY is set"));
  }

  @Test
  void aPropertyWinsOverTheEnvironment() throws IOException {
    try (StubHttpServer http = new StubHttpServer()) {
      context
          .withBean(ClassStage.class)
          .withPropertyValues("FLOW_URL=http://127.0.0.1:1", "asyncflow.worker.url=" + http.url())
          .run(started -> await().atMost(PATIENCE).until(() -> !http.seen("hold_task").isEmpty()));
    }
  }

  @Test
  void theApplicationLearnsThatItsWorkerWasDrained() {
    BlockingQueue<WorkerDrainedEvent> events = new LinkedBlockingQueue<>();
    server.setDrain(true);
    withServer()
        .withBean(ClassStage.class)
        .withInitializer(
            starting ->
                starting.addApplicationListener(
                    event -> {
                      if (event instanceof WorkerDrainedEvent drained) {
                        events.add(drained);
                      }
                    }))
        .run(
            started -> {
              WorkerDrainedEvent event = events.poll(10, TimeUnit.SECONDS);
              assertThat(event.getSource()).isSameAs(workerOf(started));
              assertThat(workerOf(started).state()).isEqualTo(WorkerState.STOPPED);
            });
  }

  @Test
  void anApplicationMayDecideNotToBeAWorker() {
    withServer()
        .withBean(ClassStage.class)
        .withPropertyValues("asyncflow.worker.enabled=false")
        .run(started -> assertThat(started).doesNotHaveBean(WorkerLifecycle.class));
  }

  @Test
  void withoutHandlersThereIsNoWorkerAndNoError() {
    withServer()
        .run(started -> assertThat(started.getBean(WorkerLifecycle.class).worker()).isEmpty());
  }

  @Test
  void twoHandlersOfOneStageAreAnErrorThatNamesThem() {
    withServer()
        .withBean("one", ClassStage.class)
        .withBean("two", ClassStage.class)
        .run(
            started ->
                assertThat(started)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("stage class of type lark has two handlers"));
  }

  static class WrongReturn {
    @Stage(type = "lark", stage = "wrong")
    void run(StageContext context) {}
  }

  static class Hidden {
    private final String result = "hidden";

    @Stage(type = "lark", stage = "hidden")
    private StageResult hidden(StageContext context) {
      return StageResult.done(result);
    }
  }

  static class Final {
    @Stage(type = "lark", stage = "final")
    public final StageResult run(StageContext context) {
      return StageResult.done();
    }
  }

  @Test
  void aPrivateMethodIsAHandlerLikeAnyOther() {
    withServer()
        .withBean(Hidden.class)
        .run(started -> assertThat(resultOf("hidden")).isEqualTo("hidden"));
  }

  @Test
  void aHandlerThatCannotBeOneIsSaidInASentenceAndSoIsWhatToDo() {
    ApplicationContextRunner twice =
        withServer().withBean("one", ClassStage.class).withBean("two", ClassStage.class);
    assertThat(analysisOf(twice))
        .satisfies(
            said ->
                assertThat(said.getDescription())
                    .startsWith("Stage class of type lark has two handlers: ")
                    .hasLineCount(1),
            said ->
                assertThat(said.getAction())
                    .isEqualTo("Remove one of them, or give it a stage of its own."));
    assertThat(analysisOf(withServer().withBean(WrongReturn.class)).getDescription())
        .isEqualTo(
            "@Stage method void "
                + WrongReturn.class.getName()
                + ".run(io.asyncflow.worker.StageContext) does not return a StageResult.");
  }

  @ParameterizedTest
  @ValueSource(classes = {Hidden.class, Final.class})
  void aMethodThatAProxyHidesIsRefusedByItsName(Class<?> handler) {
    ApplicationContextRunner advised =
        withServer().withUserConfiguration(Advised.class).withBean(handler);
    assertThat(analysisOf(advised))
        .satisfies(
            said ->
                assertThat(said.getDescription())
                    .contains(handler.getName())
                    .endsWith(" cannot be called through the proxy of its bean."),
            said ->
                assertThat(said.getAction()).startsWith("Make it neither private nor final, and "));
  }

  private static FailureAnalysis analysisOf(ApplicationContextRunner failing) {
    FailureAnalysis[] analysis = new FailureAnalysis[1];
    failing.run(
        started -> analysis[0] = new InvalidStageAnalyzer().analyze(started.getStartupFailure()));
    return analysis[0];
  }

  @Test
  void settingsOutOfRangeAreAnErrorThatNamesThem() {
    withServer()
        .withBean(ClassStage.class)
        .withPropertyValues("asyncflow.worker.threads=0")
        .run(
            started ->
                assertThat(started)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessage("threads must be at least 1"));
  }

  @ParameterizedTest
  @CsvSource({
    "FLOW_URL=foo, FLOW_URL",
    "FLOW_URL=localhost:8081, FLOW_URL",
    "FLOW_API_KEY=two words, FLOW_API_KEY",
    "FLOW_REDIS_URL=localhost:6379, FLOW_REDIS_URL",
    "FLOW_API_KEY_FILE=/no/such/file, FLOW_API_KEY_FILE",
    "asyncflow.worker.api-key-file=/dev/null, asyncflow.worker.api-key-file",
    "FLOW_CA=/no/such/file, FLOW_CA",
    "asyncflow.worker.ca-file=/dev/null, asyncflow.worker.ca-file",
    "asyncflow.worker.url=foo, asyncflow.worker.url",
    "asyncflow.worker.redis-url=foo, asyncflow.worker.redis-url",
    "asyncflow.worker.backlog-threshold=0, asyncflow.worker.backlog-threshold",
    "asyncflow.worker.slots.cpu=0, asyncflow.worker.slots",
  })
  void whatCannotWorkIsSaidInOneSentenceByTheNameThatWasSet(String setting, String name) {
    Environment[] environment = new Environment[1];
    context
        .withBean(ClassStage.class)
        .withPropertyValues(setting)
        .withInitializer(starting -> environment[0] = starting.getEnvironment())
        .run(
            started -> {
              FailureAnalysis analysis =
                  new InvalidSettingAnalyzer(environment[0]).analyze(started.getStartupFailure());
              assertThat(analysis.getDescription())
                  .startsWith(name + " must be ")
                  .endsWith(".")
                  .hasLineCount(1)
                  .doesNotContain("two words");
            });
  }

  @Test
  void everyPropertyIsDescribedForEditors() throws IOException {
    String metadata =
        new String(
            getClass()
                .getResourceAsStream("/META-INF/spring-configuration-metadata.json")
                .readAllBytes(),
            StandardCharsets.UTF_8);
    for (String name :
        List.of(
            "enabled",
            "url",
            "api-key",
            "api-key-file",
            "redis-url",
            "worker-id",
            "threads",
            "prefetch",
            "backlog-threshold",
            "shutdown-grace",
            "outage-patience",
            "slots",
            "labels",
            "stuck-threshold",
            "version",
            "spool-dir")) {
      assertThat(metadata).contains("\"asyncflow.worker." + name + "\"");
    }
    assertThat(metadata.split("\"description\"")).hasSizeGreaterThan(14);
  }
}
