package io.asyncflow.worker.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.testing.StageHarness;
import java.io.ByteArrayInputStream;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class EngineLogTest {

  private static final StageHarness RUN =
      StageHarness.run("speak")
          .inAttempt(2)
          .inTrace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");

  /** The fields of the line that an engine writes while it does this run. */
  private static Map<String, String> fieldsOfALineOf(StageContext run) {
    Logger logger = (Logger) LoggerFactory.getLogger(EngineHandler.class);
    ListAppender<ILoggingEvent> appender =
        new ListAppender<>() {
          @Override
          protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            super.append(event);
          }
        };
    appender.start();
    Level before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.addAppender(appender);
    try {
      EngineLog log =
          new EngineLog("scripted", new ByteArrayInputStream("hello\n".getBytes(UTF_8)));
      log.begin(List.of(run));
      log.run();
    } finally {
      logger.detachAppender(appender);
      logger.setLevel(before);
    }
    assertThat(appender.list).hasSize(1);
    return appender.list.get(0).getMDCPropertyMap();
  }

  @Test
  void lineOfAnEngineNamesItsRun() {
    assertThat(fieldsOfALineOf(RUN))
        .containsOnly(
            Map.entry("taskId", RUN.taskId()),
            Map.entry("taskStage", "speak"),
            Map.entry("taskAttempt", "2"),
            Map.entry("holdTraceId", RUN.traceId()),
            Map.entry("traceId", "0af7651916cd43dd8448eb211c80319c"));
  }

  @Test
  void contextWithoutATraceCostsNoLine() {
    StageContext strange =
        (StageContext)
            Proxy.newProxyInstance(
                StageContext.class.getClassLoader(),
                new Class<?>[] {StageContext.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "traceId" -> null;
                      case "traceParent" -> Optional.empty();
                      default -> method.invoke(RUN, arguments);
                    });
    assertThat(fieldsOfALineOf(strange)).containsOnlyKeys("taskId", "taskStage", "taskAttempt");
  }
}
