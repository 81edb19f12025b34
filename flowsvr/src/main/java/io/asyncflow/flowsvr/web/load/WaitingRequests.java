package io.asyncflow.flowsvr.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.concurrent.Semaphore;
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

  WaitingRequests(Connections connections) {
    int all = connections.most();
    this.most =
        all < 0
            ? Integer.MAX_VALUE
            : Math.max(1, (int) (all * (long) PER_CENT_OF_CONNECTIONS / 100));
    this.left = new Semaphore(most);
  }

  /**
   * One more; {@link #leave} must follow, unless this throws.
   *
   * @throws FullException with {@link ErrorCode#LIMIT_EXCEEDED} if as many wait as may
   */
  void enter() {
    if (!left.tryAcquire()) {
      throw new FullException(most);
    }
  }

  void leave() {
    left.release();
  }

  /** As many wait as may. Who is refused shall not keep a connection open until it asks again. */
  public static final class FullException extends FlowException {

    private static final long serialVersionUID = 1L;

    FullException(int most) {
      super(
          ErrorCode.LIMIT_EXCEEDED,
          "more than "
              + most
              + " holds and streams wait on this server already; ask another server, or ask later");
    }
  }
}
