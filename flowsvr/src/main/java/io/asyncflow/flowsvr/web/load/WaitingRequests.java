package io.asyncflow.flowsvr.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.concurrent.Semaphore;
import org.springframework.stereotype.Component;

/**
 * Limits the waiting requests of this server: parked holds and progress streams. Each keeps a
 * connection. Callers choose their own names, so limits by caller alone would not keep connections
 * free for heartbeats and health. Thread-safe.
 */
@Component
public class WaitingRequests {

  private static final int PER_CENT_OF_CONNECTIONS = 60;

  private final int limit;
  private final Semaphore permits;

  WaitingRequests(Connections connections) {
    int connectionLimit = connections.limit();
    this.limit =
        connectionLimit < 0
            ? Integer.MAX_VALUE
            : Math.max(1, (int) (connectionLimit * (long) PER_CENT_OF_CONNECTIONS / 100));
    this.permits = new Semaphore(limit);
  }

  /**
   * Counts a request; unless this throws, {@link #leave} must follow.
   *
   * @throws FullException with {@link ErrorCode#LIMIT_EXCEEDED} if the limit is reached
   */
  void enter() {
    if (!permits.tryAcquire()) {
      throw new FullException(limit);
    }
  }

  void leave() {
    permits.release();
  }

  /** The limit is reached. The refused client must close its connection. */
  public static final class FullException extends FlowException {

    private static final long serialVersionUID = 1L;

    FullException(int limit) {
      super(
          ErrorCode.LIMIT_EXCEEDED,
          "more than "
              + limit
              + " holds and streams wait on this server already; ask another server, or ask later");
    }
  }
}
