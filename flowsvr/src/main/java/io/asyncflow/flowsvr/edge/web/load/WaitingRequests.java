package io.asyncflow.flowsvr.edge.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;

/**
 * Limits the requests that wait on this server. Each costs memory and a connection, so one caller
 * could exhaust them for all others. A caller is limited by the name under which it calls, and by
 * its access key. Callers choose their names, so there is also a limit of all together, which keeps
 * connections free for heartbeats and health. Thread-safe.
 */
@Component
public class WaitingRequests {

  /** What waits, and by which name of its caller it is counted. */
  public enum Kind {
    /** Parked holds, by the worker id. */
    HOLD_OF_WORKER,
    /** Parked holds without a worker id, by the address. */
    HOLD_OF_ADDRESS,
    /** Streams of server-sent events, by the address. */
    STREAM,
    /** Lists that wait for events, by the address. */
    EVENT_LIST
  }

  private static final int PER_CENT_OF_CONNECTIONS = 60;

  private final Map<Kind, Limits> limits;
  private final int most;
  private final Semaphore all;

  WaitingRequests(
      Connections connections,
      @Value("${flow.max-holds-per-worker:128}") int holdsOfWorker,
      @Value("${flow.max-holds-per-address:256}") int holdsOfAddress,
      @Value("${flow.max-holds-per-key:1000}") int holdsOfKey,
      @Value("${flow.max-streams-per-address:200}") int streamsOfAddress,
      @Value("${flow.max-streams-per-key:200}") int streamsOfKey) {
    Limit holds = new Limit(holdsOfKey, "waiting holds of one access key");
    this.limits =
        Map.of(
            Kind.HOLD_OF_WORKER,
            new Limits(new Limit(holdsOfWorker, "waiting holds of this worker"), holds),
            Kind.HOLD_OF_ADDRESS,
            new Limits(
                new Limit(holdsOfAddress, "waiting holds without a workerId, of one address,"),
                holds),
            Kind.STREAM,
            Limits.ofAddressAndKey(streamsOfAddress, streamsOfKey, "streams"),
            Kind.EVENT_LIST,
            Limits.ofAddressAndKey(streamsOfAddress, streamsOfKey, "lists of events"));
    long connectionLimit = connections.limit();
    this.most =
        connectionLimit < 0
            ? Integer.MAX_VALUE
            : Math.max(1, (int) (connectionLimit * PER_CENT_OF_CONNECTIONS / 100));
    this.all = new Semaphore(most);
  }

  /** The limits of a kind. */
  private record Limits(Limit byName, Limit byKey) {

    static Limits ofAddressAndKey(int ofAddress, int ofKey, String what) {
      return new Limits(
          new Limit(ofAddress, what + " of one address"),
          new Limit(ofKey, what + " of one access key"));
    }
  }

  /**
   * How many requests may wait under one name.
   *
   * @param what the counted requests in the plural, with what has the name
   */
  private record Limit(int most, String what, ConcurrentMap<String, Integer> waiting) {

    Limit(int most, String what) {
      this(most, what, new ConcurrentHashMap<>());
    }

    Runnable enter(String name) {
      if (waiting.merge(name, 1, Integer::sum) > most) {
        leave(name);
        throw new FlowException(
            ErrorCode.LIMIT_EXCEEDED,
            "more than " + most + " " + what + " are open already; end one, or ask later");
      }
      return () -> leave(name);
    }

    private void leave(String name) {
      waiting.computeIfPresent(name, (same, count) -> count > 1 ? count - 1 : null);
    }
  }

  /**
   * Counts a request of the caller for whom this thread works.
   *
   * @param name as the kind says; of each access key, the name is another one
   * @return to be run once, when the request is over
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if the limit of the name, of the
   *     key or of all callers is reached
   */
  public Runnable enter(Kind kind, String name) {
    Limits ofKind = limits.get(kind);
    String key = key();
    Deque<Runnable> entered = new ArrayDeque<>();
    Runnable leave = () -> entered.forEach(Runnable::run);
    try {
      entered.push(ofKind.byName().enter(key == null ? name : key + "\n" + name));
      if (key != null) {
        entered.push(ofKind.byKey().enter(key));
      }
      if (!all.tryAcquire()) {
        throw new FullException(most);
      }
      entered.push(all::release);
      return leave;
    } catch (FlowException full) {
      leave.run();
      throw full;
    }
  }

  /** The access key, or the subject of a token; {@code null} where all callers may be the same. */
  private static String key() {
    Authentication caller = SecurityContextHolder.getContext().getAuthentication();
    return caller != null && caller.getCredentials() instanceof String key ? key : null;
  }

  /** The limit of all together is reached. The refused client must close its connection. */
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
