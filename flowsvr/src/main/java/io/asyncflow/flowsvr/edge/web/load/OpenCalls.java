package io.asyncflow.flowsvr.edge.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;

/**
 * Calls that last longer than a moment: parked holds, streams, uploads. They end when the key of
 * their caller does, or the session. Nothing is kept where keys cannot end. Thread-safe.
 */
@Component
public class OpenCalls {

  private final Set<Call> open = ConcurrentHashMap.newKeySet();
  private volatile Predicate<String> ended;

  /** What an authentication says that may be by a session. */
  public interface OfSession {

    /** Names the session; {@code null} if there is none. */
    String session();
  }

  /** Different from each other one, whatever it is of. */
  private static final class Call {
    private final String caller;
    private final String session;
    private final Runnable end;

    Call(String caller, String session, Runnable end) {
      this.caller = caller;
      this.session = session;
      this.end = end;
    }
  }

  /**
   * Registers a call of the caller for whom this thread works; the returned action must run when
   * the call is over.
   *
   * @param end ends the call; may run more than once, and before this method returns
   */
  public Runnable add(Runnable end) {
    String session = session();
    if (ended == null && session == null) {
      return () -> {};
    }
    Call call = new Call(caller(), session, end);
    open.add(call);
    if (hasEnded(call.caller)) { // only now: so either this check or setEnded finds the call
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
    if (hasEnded(caller())) {
      throw keyEnded();
    }
  }

  private boolean hasEnded(String caller) {
    Predicate<String> callers = ended;
    return callers != null && callers.test(caller);
  }

  /** Answers a call whose key has ended meanwhile. */
  public static FlowException keyEnded() {
    return new FlowException(ErrorCode.KEY_ENDED, "the key of this call ended meanwhile");
  }

  /**
   * Sets which callers' keys have ended, and ends their calls. Called every few seconds, so a call
   * that could not be ended at once is ended by the next one.
   *
   * @param callers asked with a principal
   */
  public void setEnded(Predicate<String> callers) {
    ended = callers;
    end(call -> callers.test(call.caller));
  }

  /** The sessions that have calls. */
  public Set<String> sessions() {
    return open.stream()
        .map(call -> call.session)
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  /** Ends the calls of sessions that have ended. */
  public void endSessions(Set<String> sessions) {
    end(call -> call.session != null && sessions.contains(call.session));
  }

  private void end(Predicate<Call> which) {
    open.stream().filter(which).forEach(call -> call.end.run());
  }

  private static String caller() {
    Authentication caller = SecurityContextHolder.getContext().getAuthentication();
    return caller == null ? "" : caller.getName();
  }

  private static String session() {
    return SecurityContextHolder.getContext().getAuthentication() instanceof OfSession proven
        ? proven.session()
        : null;
  }
}
