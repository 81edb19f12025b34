package io.asyncflow.worker.internal.loop;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.OneLine;
import java.util.Objects;
import org.slf4j.Logger;

/**
 * Says once what is wrong and what happens next, stays silent while it stays so, and says once that
 * it is over. That flowsvr does not answer is said once for all loops.
 *
 * <p>Belongs to one loop; only {@link #problem} is for other threads.
 */
public final class OutageLog {

  private static final String NO_ANSWER = ErrorCode.UNAVAILABLE.name();

  private final Logger log;
  private final String what;
  private final Link link;
  private String kind;
  private volatile String problem;

  public OutageLog(Logger log, String what, Link link) {
    this.log = log;
    this.what = what;
    this.link = link;
  }

  /**
   * It failed.
   *
   * @param newKind logged only if it is another than the last time
   */
  public void failed(String newKind, String text, String next) {
    String reason = OneLine.of(text);
    if (isNews(newKind)) {
      log.warn("{}: {}; {}", what, reason, next);
    } else {
      log.debug("{}: {}", what, reason);
    }
    kind = newKind;
    problem = reason;
  }

  private boolean isNews(String newKind) {
    if (Objects.equals(newKind, kind)) {
      return false;
    }
    if (newKind.equals(NO_ANSWER)) {
      return link.cut(this);
    }
    link.mended(this);
    return true;
  }

  public void worked() {
    if (NO_ANSWER.equals(kind)) {
      if (link.mended(this)) {
        log.info("flowsvr answers again");
      }
    } else if (kind != null) {
      log.info("{}: works again", what);
    }
    kind = null;
    problem = null;
  }

  /**
   * It asks for nothing until further notice. If it got no answer the last time it is not counted
   * as cut off any more: a loop that sleeps would be so for ever.
   */
  public void withdraw() {
    if (NO_ANSWER.equals(kind)) {
      link.withdraw(this);
      kind = null;
    }
  }

  /** What is wrong just now; {@code null} if nothing is. */
  public String problem() {
    return problem;
  }
}
