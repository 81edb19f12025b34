package io.asyncflow.worker.internal.loop;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.slf4j.LoggerFactory;

/** What a class logs while a test looks. */
public final class LoggedLines implements AutoCloseable {

  private final Logger logger;
  private final Level before;
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  /** From WARN on. */
  public LoggedLines(Class<?> of) {
    this(of, Level.WARN);
  }

  public LoggedLines(Class<?> of, Level from) {
    logger = (Logger) LoggerFactory.getLogger(of);
    before = logger.getLevel();
    logger.setLevel(from);
    logger.setAdditive(false);
    appender.start();
    logger.addAppender(appender);
  }

  public List<String> lines() {
    return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** How many of them came with a stack trace. */
  public long stacks() {
    return appender.list.stream().filter(event -> event.getThrowableProxy() != null).count();
  }

  /** What stands before each stack: of all that was thrown, its causes and what they suppressed. */
  public List<String> messagesOfStacks() {
    List<String> messages = new ArrayList<>();
    appender.list.stream()
        .map(ILoggingEvent::getThrowableProxy)
        .filter(Objects::nonNull)
        .forEach(thrown -> collect(thrown, messages));
    return messages;
  }

  private static void collect(IThrowableProxy thrown, List<String> messages) {
    messages.add(thrown.getMessage());
    if (thrown.getCause() != null) {
      collect(thrown.getCause(), messages);
    }
    for (IThrowableProxy suppressed : thrown.getSuppressed()) {
      collect(suppressed, messages);
    }
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    logger.setAdditive(true);
    logger.setLevel(before);
  }
}
