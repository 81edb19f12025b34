package io.asyncflow.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.asyncflow.worker.ChildPrograms;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.ResourceException;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.testing.StageHarness;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Real processes, of a shell script that knows every way to go wrong. */
@Timeout(120)
class EngineHandlerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path directory;
  private final List<EngineHandler> engines = new ArrayList<>();

  private EngineHandler engine(EngineHandler.Builder builder) {
    EngineHandler engine = builder.build();
    engines.add(engine);
    return engine;
  }

  private EngineHandler scripted() {
    return engine(new ScriptedEngine(directory).builder());
  }

  private static StageResult run(EngineHandler engine, String context) throws Exception {
    return StageHarness.run("speak").onSlot("cpu").withContext(context).with(engine);
  }

  private static String pid(EngineHandler engine) throws Exception {
    return (String) ((StageResult.Done) run(engine, "PID")).result();
  }

  /** A run in a thread of its own, which can be interrupted. */
  private static final class Background {
    final CompletableFuture<StageResult> result = new CompletableFuture<>();
    final Thread thread;

    Background(EngineHandler engine, String context) {
      thread =
          new Thread(
              () -> {
                try {
                  result.complete(run(engine, context));
                } catch (Throwable e) {
                  result.completeExceptionally(e);
                }
              });
      thread.start();
    }

    void assertInterruptEndsIt() {
      thread.interrupt();
      assertThatThrownBy(() -> result.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(InterruptedException.class);
    }
  }

  @AfterEach
  void close() {
    engines.forEach(EngineHandler::close);
  }

  /** But for what the test names, what a slot means, and what a shell sets by itself. */
  @Test
  void anEngineGetsNothingOfTheWorkersEnvironmentButTheList() throws Exception {
    String names = (String) ((StageResult.Done) run(scripted(), "ENVIRONMENT")).result();

    Set<String> allowed = new HashSet<>(ChildPrograms.of("env").environment().keySet());
    allowed.addAll(List.of("HANG_FILE", "CUDA_VISIBLE_DEVICES", "PWD", "OLDPWD", "SHLVL", "_"));
    assertThat(names.strip().split(" "))
        .contains("HANG_FILE", "CUDA_VISIBLE_DEVICES", "PATH")
        .allMatch(allowed::contains);
  }

  @Test
  void oneProcessServesOneRunAfterTheOther() throws Exception {
    EngineHandler engine = scripted();
    assertThat(pid(engine)).isEqualTo(pid(engine));
  }

  @Test
  void eachSlotHasAProcessOfItsOwnThatSeesItsDeviceAlone() throws Exception {
    EngineHandler engine = scripted();
    StageHarness gpu = StageHarness.run("speak").onSlot("cuda:1").withContext("DEVICE");
    assertThat(gpu.with(engine)).isEqualTo(StageResult.done("{\"cuda\":\"1\"}"));
    assertThat(run(engine, "DEVICE")).isEqualTo(StageResult.done("{\"cuda\":\"\"}"));
    assertThat(StageHarness.run("speak").onSlot("cuda:1").withContext("PID").with(engine))
        .isNotEqualTo(StageResult.done(pid(engine)));
  }

  @Test
  void aResultMayHandOverToTheNextStage() throws Exception {
    assertThat(run(scripted(), "NEXT"))
        .isEqualTo(StageResult.next("merge", "{\"n\":3}").withPriority(60));
  }

  @Test
  void progressIsPassedOnWithinItsBounds() throws Exception {
    StageHarness run = StageHarness.run("speak").onSlot("cpu").withContext("PROGRESS");
    assertThat(run.with(scripted())).isEqualTo(StageResult.done());
    assertThat(run.progress()).containsExactly(40, 100);
  }

  @Test
  void eachKindOfErrorHasItsMeaning() throws Exception {
    EngineHandler engine = scripted();
    String before = pid(engine);
    assertThatThrownBy(() -> run(engine, "RETRY"))
        .isInstanceOf(EngineException.class)
        .hasMessage("busy");
    assertThatThrownBy(() -> run(engine, "FATAL"))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage("no such voice");
    assertThat(pid(engine)).isEqualTo(before);
    assertThatThrownBy(() -> run(engine, "MEMORY"))
        .isInstanceOf(ResourceException.class)
        .hasMessage("out of memory: 2 GiB short");
    assertThat(pid(engine)).as("all of its memory is free again").isNotEqualTo(before);
  }

  @Test
  void oneThatEndsFailsItsRunWithItsLastWordsAndIsStartedAnew() throws Exception {
    EngineHandler engine = scripted();
    String before = pid(engine);
    assertThatThrownBy(() -> run(engine, "EXIT"))
        .isInstanceOf(EngineException.class)
        .hasMessageStartingWith("engine scripted ended with exit code 3");
    assertThat(pid(engine)).isNotEqualTo(before);
  }

  @Test
  void oneThatWasKilledIsNotTheTasksFault() throws Exception {
    EngineHandler engine = scripted();
    assertThatThrownBy(() -> run(engine, "DIE"))
        .isInstanceOf(ResourceException.class)
        .hasMessageContaining("was killed by signal 9");
    assertThat(pid(engine)).isNotBlank();
  }

  @Test
  void theChildrenOfADeadEngineEndToo() throws Exception {
    ScriptedEngine scripted = new ScriptedEngine(directory);
    EngineHandler engine = engine(scripted.builder());
    if (!Files.isExecutable(Path.of("/usr/bin/setsid"))) {
      System.err.println("not run here: theChildrenOfADeadEngineEndToo needs setsid");
      return;
    }
    assertThatThrownBy(() -> run(engine, "ORPHAN")).isInstanceOf(ResourceException.class);
    ProcessHandle child = scripted.awaitHanging();
    await().atMost(PATIENCE).until(() -> ScriptedEngine.hasEnded(child));
  }

  @Test
  void itRunsInTheDirectoryThatItIsGiven() throws Exception {
    Path own = Files.createDirectory(directory.resolve("own"));
    EngineHandler engine = engine(new ScriptedEngine(directory).builder().directory(own));
    assertThat(run(engine, "DIRECTORY")).isEqualTo(StageResult.done(own.toRealPath().toString()));
  }

  @Test
  void whatIsNoMessageIsRefusedWithTheReason() throws Exception {
    EngineHandler engine = engine(new ScriptedEngine(directory).builder().longestLine(250));
    assertThatThrownBy(() -> run(engine, "PRINT"))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("printed what is no JSON: 'hello, world'");
    assertThatThrownBy(() -> run(engine, "LONG"))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("printed a line of more than 250 bytes");
    assertThat(pid(engine)).isNotBlank();
  }

  @Test
  void aNumberThatJsonDoesNotHaveCostsItsRunAndNotTheEngine() throws Exception {
    EngineHandler engine = scripted();
    String before = pid(engine);
    for (String script : List.of("NAN", "INFINITE", "HUGE")) {
      assertThatThrownBy(() -> run(engine, script))
          .isInstanceOf(EngineException.class)
          .hasMessage("the result has NaN or an infinite number, which JSON cannot write");
    }
    assertThat(pid(engine)).isEqualTo(before);
  }

  @Test
  void aByteOrderMarkIsNoPartOfAMessage() throws Exception {
    EngineHandler engine = scripted();
    String before = pid(engine);
    assertThat(run(engine, "MARK")).isEqualTo(StageResult.done("1"));
    assertThat(pid(engine)).isEqualTo(before);
  }

  @Test
  void oneThatHeedsACancelStaysWarm() throws Exception {
    EngineHandler engine = engine(new ScriptedEngine(directory).builder().cancelGrace(PATIENCE));
    String before = pid(engine);
    new Background(engine, "WAIT").assertInterruptEndsIt();
    assertThat(pid(engine)).isEqualTo(before);
  }

  @Test
  void oneThatHangsIsKilledWithItsChildren() throws Exception {
    ScriptedEngine scripted = new ScriptedEngine(directory);
    EngineHandler engine = engine(scripted.builder());
    Background run = new Background(engine, "HANG");
    ProcessHandle child = scripted.awaitHanging();
    run.assertInterruptEndsIt();
    await().atMost(PATIENCE).until(() -> ScriptedEngine.hasEnded(child));
    assertThat(pid(engine)).isNotBlank();
  }

  @Test
  void oneThatReadsNothingOrNeverStopsTalkingHoldsNobodyUp() throws Exception {
    ScriptedEngine scripted = new ScriptedEngine(directory);
    EngineHandler engine = engine(scripted.builder());
    new Background(engine, "FLOOD").assertInterruptEndsIt();
    assertThat(pid(engine)).isNotBlank();
    Background run = new Background(engine, "HANG");
    scripted.awaitHanging();
    run.assertInterruptEndsIt();
    EngineHandler deaf = engine(EngineHandler.builder("sh", "-c", DEAF).name("deaf"));
    Background large = new Background(deaf, "x".repeat(1 << 20));
    large.assertInterruptEndsIt();
  }

  private static final String DEAF = "echo '{\"type\":\"ready\",\"protocol\":1}'; sleep 1000";

  @Test
  void silenceIsAHang() {
    EngineHandler engine =
        engine(new ScriptedEngine(directory).builder().silence(Duration.ofMillis(200)));
    assertThatThrownBy(() -> run(engine, "WAIT"))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("sent no message for 200 ms");
  }

  @Test
  void oneThatDoesNotStartIsNotTheTasksFault() {
    ScriptedEngine scripted = new ScriptedEngine(directory);
    assertThatThrownBy(
            () -> run(engine(scripted.builder("LATE").startTimeout(Duration.ofMillis(50))), ""))
        .isInstanceOf(ResourceException.class)
        .hasMessageContaining("was not ready within 50 ms");
    assertThatThrownBy(() -> run(engine(scripted.builder("OTHER")), ""))
        .isInstanceOf(ResourceException.class)
        .hasMessageContaining("speaks protocol 7, and this worker speaks 1");
    assertThatThrownBy(() -> run(engine(scripted.builder("GARBAGE")), ""))
        .isInstanceOf(ResourceException.class)
        .hasMessageContaining("printed what is no JSON: 'Loading the model ...'");
    assertThatThrownBy(() -> run(engine(EngineHandler.builder("no-such-program-here")), ""))
        .isInstanceOf(ResourceException.class);
  }

  @Test
  void aStageWithoutASlotCannotHaveOne() {
    assertThatThrownBy(() -> StageHarness.run("speak").with(scripted()))
        .isInstanceOf(NonRetryableException.class)
        .hasMessageContaining("must take a slot");
  }

  @Test
  void itsStandardErrorIsLoggedUnderTheTaskAndNoMoreThanAFewLinesOfIt() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(EngineHandler.class);
    ListAppender<ILoggingEvent> appender =
        new ListAppender<>() {
          @Override
          protected void append(ILoggingEvent event) {
            // It is the thread that logs whose MDC counts.
            event.prepareForDeferredProcessing();
            super.append(event);
          }
        };
    appender.start();
    Level before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.setAdditive(false);
    logger.addAppender(appender);
    try {
      MDC.put("taskStage", "speak"); // as the worker does for a handler
      EngineHandler engine = scripted();
      assertThatThrownBy(() -> run(engine, "EXIT")).isInstanceOf(EngineException.class);
      awaitLine(appender, "scripted for 1_test_task_1: Segmentation fault, of sorts");
      assertThatThrownBy(() -> run(engine, "FORGE")).isInstanceOf(NonRetryableException.class);
      awaitLine(appender, "scripted for 1_test_task_1: one 2026 ERROR forged \uFFFD[31m");
      run(engine, "TALK");
      awaitLine(appender, "scripted writes more than 200 lines; the rest is dropped");
      List<ILoggingEvent> lines =
          List.copyOf(appender.list).stream()
              .filter(event -> event.getFormattedMessage().startsWith("scripted for"))
              .toList();
      assertThat(lines)
          .allSatisfy(
              line ->
                  assertThat(line.getMDCPropertyMap())
                      .containsOnly(Map.entry("taskStage", "speak")));
      assertThat(lines).hasSize(2 + EngineLog.MOST_LINES);
    } finally {
      MDC.clear();
      logger.detachAppender(appender);
      logger.setAdditive(true);
      logger.setLevel(before);
    }
  }

  private static void awaitLine(ListAppender<ILoggingEvent> appender, String line) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                List.copyOf(appender.list).stream()
                    .map(ILoggingEvent::getFormattedMessage)
                    .anyMatch(line::equals));
  }

  @Test
  void aClosedOneLeavesNoProcess() throws Exception {
    EngineHandler engine = scripted();
    ProcessHandle process = ProcessHandle.of(Long.parseLong(pid(engine))).orElseThrow();
    engine.close();
    assertThat(process.isAlive()).isFalse();
    assertThatThrownBy(() -> run(engine, "PID")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void oneThatAnInterruptedThreadClosesLeavesNoProcessEither() throws Exception {
    ScriptedEngine scripted = new ScriptedEngine(directory);
    EngineHandler engine = engine(scripted.builder());
    Background run = new Background(engine, "HANG");
    ProcessHandle child = scripted.awaitHanging();
    Thread.currentThread().interrupt();
    engine.close();
    assertThat(Thread.interrupted()).as("the thread still knows").isTrue();
    await().atMost(PATIENCE).until(() -> ScriptedEngine.hasEnded(child));
    run.thread.join();
  }
}
