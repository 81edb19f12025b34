package io.asyncflow.flowsvr.web;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.concurrent.Semaphore;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * The requests that wait on this server: parked holds and progress streams. Each keeps a
 * connection, and the callers name themselves, so a bound for each caller alone would leave none to
 * heartbeats and health. Thread-safe.
 */
@Component
public class WaitingRequests {

  private static final int PER_CENT_OF_CONNECTIONS = 60;

  private final int most;
  private final Semaphore left;

  /**
   * @param connections that Tomcat has open at most, 8192 by default; -1 for no bound
   */
  public WaitingRequests(@Value("${server.tomcat.max-connections:8192}") int connections) {
    this.most =
        connections < 0
            ? Integer.MAX_VALUE
            : Math.max(1, (int) (connections * (long) PER_CENT_OF_CONNECTIONS / 100));
    this.left = new Semaphore(most);
  }

  /**
   * One more; {@link #leave} must follow, unless this throws.
   *
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if as many wait as may
   */
  void enter() {
    if (!left.tryAcquire()) {
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED,
          "more than "
              + most
              + " holds and streams wait on this server already; ask another server, or ask later");
    }
  }

  void leave() {
    left.release();
  }
}
