package io.asyncflow.worker.internal;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What a class logs from WARN on while a test looks. */
final class LoggedLines implements AutoCloseable {

  private final Logger logger;
  private final Level before;
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  LoggedLines(Class<?> of) {
    logger = (Logger) LoggerFactory.getLogger(of);
    before = logger.getLevel();
    logger.setLevel(Level.WARN);
    logger.setAdditive(false);
    appender.start();
    logger.addAppender(appender);
  }

  List<String> lines() {
    return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** How many of them came with a stack trace. */
  long stacks() {
    return appender.list.stream().filter(event -> event.getThrowableProxy() != null).count();
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    logger.setAdditive(true);
    logger.setLevel(before);
  }
}
