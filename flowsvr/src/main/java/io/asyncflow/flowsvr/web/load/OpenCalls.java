package io.asyncflow.flowsvr.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;

/**
 * Calls that last longer than a moment: parked holds, streams, uploads. They end when the key of
 * their caller does. Nothing is kept where keys cannot end. Thread-safe.
 */
@Component
public class OpenCalls {

  private final Map<Runnable, String> open = new ConcurrentHashMap<>();
  private volatile Set<String> ended;

  /**
   * Registers a call of the caller for whom this thread works; the returned action must run when
   * the call is over.
   *
   * @param end ends the call; may run more than once, and before this method returns
   */
  public Runnable add(Runnable end) {
    if (ended == null) {
      return () -> {};
    }
    String caller = caller();
    Runnable call = end::run; // another object for each call
    open.put(call, caller);
    if (ended.contains(caller)) { // only now: so either this check or setEnded finds the call
      end.run();
    }
    return () -> open.remove(call);
  }

  /**
   * Lets the call of this thread go on.
   *
   * @throws FlowException with {@link ErrorCode#KEY_ENDED} if the key of its caller has ended
   */
  public void requireLiveKey() {
    if (ended != null && ended.contains(caller())) {
      throw keyEnded();
    }
  }

  /** Answers a call whose key has ended meanwhile. */
  public static FlowException keyEnded() {
    return new FlowException(ErrorCode.KEY_ENDED, "the key of this call ended meanwhile");
  }

  /**
   * Sets the callers whose keys have ended, replacing the earlier ones, and ends their calls.
   * Called every few seconds, so a call that could not be ended at once is ended by the next one.
   *
   * @param callers their principals
   */
  public void setEnded(Set<String> callers) {
    ended = Set.copyOf(callers);
    open.forEach(
        (call, caller) -> {
          if (callers.contains(caller)) {
            call.run();
          }
        });
  }

  private static String caller() {
    Authentication caller = SecurityContextHolder.getContext().getAuthentication();
    return caller == null ? "" : caller.getName();
  }
}
