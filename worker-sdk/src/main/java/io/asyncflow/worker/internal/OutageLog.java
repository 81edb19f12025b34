package io.asyncflow.worker.internal;

import java.util.Objects;
import org.slf4j.Logger;

/**
 * Says once what is wrong and what happens next, stays silent while it stays so, and says once that
 * it is over.
 *
 * <p>Not thread-safe: it belongs to one loop.
 */
final class OutageLog {

  private final Logger log;
  private final String what;
  private String problem;

  OutageLog(Logger log, String what) {
    this.log = log;
    this.what = what;
  }

  /** It failed; logged only if it did not fail the same way the last time. */
  void failed(String kind, String reason, String next) {
    if (!Objects.equals(kind, problem)) {
      problem = kind;
      log.warn("{}: {}; {}", what, reason, next);
    } else {
      log.debug("{}: still {}", what, reason);
    }
  }

  void worked() {
    if (problem != null) {
      problem = null;
      log.info("{}: works again", what);
    }
  }
}
