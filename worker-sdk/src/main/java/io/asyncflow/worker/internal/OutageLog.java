package io.asyncflow.worker.internal;

import java.util.Objects;
import org.slf4j.Logger;

/**
 * Says once what is wrong and what happens next, stays silent while it stays so, and says once that
 * it is over.
 *
 * <p>Belongs to one loop; only {@link #problem} is for other threads.
 */
final class OutageLog {

  private final Logger log;
  private final String what;
  private String kind;
  private volatile String problem;

  OutageLog(Logger log, String what) {
    this.log = log;
    this.what = what;
  }

  /**
   * It failed.
   *
   * @param newKind logged only if it is another than the last time
   */
  void failed(String newKind, String reason, String next) {
    if (Objects.equals(newKind, kind)) {
      log.debug("{}: still {}", what, reason);
    } else {
      log.warn("{}: {}; {}", what, reason, next);
    }
    kind = newKind;
    problem = reason;
  }

  void worked() {
    if (kind != null) {
      log.info("{}: works again", what);
    }
    kind = null;
    problem = null;
  }

  /** What is wrong just now; {@code null} if nothing is. */
  String problem() {
    return problem;
  }
}
