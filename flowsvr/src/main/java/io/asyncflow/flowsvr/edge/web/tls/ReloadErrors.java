package io.asyncflow.flowsvr.edge.web.tls;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.springframework.core.NestedExceptionUtils;

/**
 * Says in one line that new files cannot be used. Spring Boot, which watches them, says so with a
 * stack trace, also while certificate and key are replaced one after the other.
 */
final class ReloadErrors extends TurboFilter {

  private static final String WATCHER = "org.springframework.boot.autoconfigure.ssl.FileWatcher";

  private ReloadErrors() {}

  /** Does so from now on. */
  static void shorten() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logging
        && logging.getTurboFilterList().stream().noneMatch(ReloadErrors.class::isInstance)) {
      logging.addTurboFilter(new ReloadErrors());
    }
  }

  @Override
  public FilterReply decide(
      Marker marker,
      Logger logger,
      Level level,
      String message,
      Object[] parameters,
      Throwable thrown) {
    if (thrown == null || level != Level.ERROR || !logger.getName().equals(WATCHER)) {
      return FilterReply.NEUTRAL;
    }
    logger.error(
        "the new TLS files cannot be used, so the server goes on with the earlier ones, and reads"
            + " the files again when one changes: {}",
        NestedExceptionUtils.getMostSpecificCause(thrown).getMessage());
    return FilterReply.DENY;
  }
}
