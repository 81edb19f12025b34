package io.asyncflow.worker.internal.loop;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.OneLine;
import java.util.Objects;
import org.slf4j.Logger;

/**
 * Logs a problem and its consequence once, stays silent while it lasts, and logs its end once. An
 * outage of flowsvr is logged once for all loops.
 *
 * <p>Belongs to one loop; only {@link #problem} may be called by other threads.
 */
public final class OutageLog {

  private static final String NO_ANSWER = ErrorCode.UNAVAILABLE.name();

  private final Logger log;
  private final String name;
  private final Link link;
  private String kind;
  private volatile String problem;

  public OutageLog(Logger log, String name, Link link) {
    this.log = log;
    this.name = name;
    this.link = link;
  }

  /**
   * Records a failure.
   *
   * @param newKind the kind of failure; logged only if it differs from the last one
   */
  public void failed(String newKind, String text, String next) {
    String reason = OneLine.of(text);
    if (isNews(newKind)) {
      log.warn("{}: {}; {}", name, reason, next);
    } else {
      log.debug("{}: {}", name, reason);
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
      log.info("{}: works again", name);
    }
    kind = null;
    problem = null;
  }

  /**
   * The loop stops calling until further notice and no longer counts as cut off; otherwise a
   * sleeping loop would count as cut off for ever.
   */
  public void withdraw() {
    if (NO_ANSWER.equals(kind)) {
      link.withdraw(this);
      kind = null;
    }
  }

  /** The present problem; {@code null} if there is none. */
  public String problem() {
    return problem;
  }
}
