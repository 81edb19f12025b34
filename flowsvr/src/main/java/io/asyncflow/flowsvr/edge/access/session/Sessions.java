package io.asyncflow.flowsvr.edge.access.session;

import com.github.benmanes.caffeine.cache.Cache;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.act.ActFilter;
import io.asyncflow.console.Live;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.base.system.concurrent.RecentValues;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.session.SessionStore.Count;
import io.asyncflow.flowsvr.edge.access.session.SessionStore.Stored;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.ActStore;
import io.asyncflow.flowsvr.edge.act.ActStore.Place;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.web.error.DatabaseDownException;
import io.asyncflow.flowsvr.edge.web.error.RateExceededException;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/**
 * The sessions of people. They are rows, so each server answers each request; what was read is
 * remembered for {@link #FRESH}. Thread-safe.
 */
@Component
public class Sessions {

  /** How long a session that another server ended goes on here. */
  private static final Duration FRESH = Duration.ofSeconds(3);

  private static final int MOST_REMEMBERED = 10_000;

  /** Anybody can make up ids: connections that may look for them at once, and the wait for one. */
  private static final int MOST_READING = 4;

  private static final long PATIENCE_MS = 500;

  /** Anybody can make up ids, and each that waits has a thread of the server. */
  private static final int MOST_WAITING = 16;

  private static final String LOG_IN = "LOG_IN";

  /** The life of the cookie. */
  private static final Duration UNTIL_CLOSED = Duration.ofSeconds(-1);

  public static final long NO_LATEST_END = Long.MAX_VALUE;

  /** Enough for each person of a team that shares a key. */
  static final int MOST_OF_A_CALLER = 100;

  private static final long ONE_MINUTE_MS = Duration.ofMinutes(1).toMillis();

  private final Node node;
  private final SessionStore store;
  private final SessionCallers callers;
  private final HostCookie cookie;
  private final DatabaseWatch database;
  private final RetryingTransactions transactions;
  private final Acts acts;
  private final ActStore recorded;
  private final int mostAMinute;
  private final OpenCalls calls;
  private final Cache<String, Known> read;
  private final Semaphore reading = new Semaphore(MOST_READING, true);

  /**
   * What was read of an id.
   *
   * @param session {@code null} if there is none
   * @param asOf when, epoch ms of the database
   * @param isToBeMarked whether its next use is to be written
   */
  private record Known(OpenSession session, long asOf, AtomicBoolean isToBeMarked) {

    static final Known NOTHING = new Known(null, 0, new AtomicBoolean());

    static Known of(OpenSession session, Stored stored) {
      boolean isToBeMarked = stored.row().isToBeMarked(stored.now());
      return new Known(session, stored.now(), new AtomicBoolean(isToBeMarked));
    }
  }

  Sessions(
      SessionStore store,
      SessionCallers callers,
      DatabaseWatch database,
      RetryingTransactions transactions,
      Acts acts,
      ActStore recorded,
      OpenCalls calls,
      Node node,
      @Value("${flow.access.log-ins-per-minute:30}") int mostAMinute,
      @Value("${flow.tls.mode:}") String tls) {
    this.node = node;
    this.store = store;
    this.callers = callers;
    this.cookie = new HostCookie("asyncflow", tls);
    this.database = database;
    this.transactions = transactions;
    this.acts = acts;
    this.recorded = recorded;
    this.calls = calls;
    this.mostAMinute = mostAMinute;
    this.read = RecentValues.of(FRESH, MOST_REMEMBERED, node);
  }

  /**
   * The caller of the session whose cookie a request carries; {@code null} if there is none. The
   * request has the session from then on.
   *
   * @throws FlowException if the sessions cannot be read now
   */
  public Caller enter(HttpServletRequest request) {
    OpenSession session =
        cookie
            .read(request)
            .flatMap(value -> SessionId.parse(value).stream())
            .findFirst()
            .flatMap(id -> find(id, !Live.isIn(request)))
            .orElse(null);
    if (session == null) {
      return null;
    }
    session.noteOn(request);
    return session.caller();
  }

  @Bean
  BackgroundLoop sessionsLoop() {
    return new BackgroundLoop("sessions", FRESH, this::endCalls);
  }

  /** Ends the calls of sessions that have ended, wherever they were ended. */
  private void endCalls() {
    Set<String> ended = calls.sessions();
    if (!ended.isEmpty()) {
      ended.removeAll(store.live(ended));
      calls.endSessions(ended);
    }
  }

  /**
   * @param isUse whether a person asks: a page that follows the news keeps no session open
   */
  private Optional<OpenSession> find(SessionId id, boolean isUse) {
    Known known = known(id);
    if (isUse && known.isToBeMarked().getAndSet(false)) {
      inTurn(
          () -> {
            store.markUsed(id.hash(), known.asOf());
            return null;
          });
    }
    // A key may end meanwhile.
    return Optional.ofNullable(known.session())
        .filter(session -> callers.isLive(session.caller().principal()));
  }

  private Known known(SessionId id) {
    Known known = read.getIfPresent(id.text());
    if (known == null) {
      known = read(id);
      read.put(id.text(), known);
    }
    return known;
  }

  private Known read(SessionId id) {
    return inTurn(
        () -> store.find(id.hash()).map(stored -> open(id, stored)).orElse(Known.NOTHING));
  }

  private <T> T inTurn(Supplier<T> statement) {
    if (!database.isUp()) {
      throw new DatabaseDownException();
    }
    try {
      if (reading.getQueueLength() >= MOST_WAITING
          || !reading.tryAcquire(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
        throw new FlowException(ErrorCode.UNAVAILABLE, "too many sessions are looked for at once");
      }
      try {
        return statement.get();
      } finally {
        reading.release();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FlowException(ErrorCode.UNAVAILABLE, "the server is stopping");
    } catch (DataAccessException e) {
      throw new FlowException(ErrorCode.UNAVAILABLE, "the sessions cannot be read now");
    }
  }

  private Known open(SessionId id, Stored stored) {
    SessionRow row = stored.row();
    long left = TimeUnit.MILLISECONDS.toNanos(row.expireTime() - stored.now());
    return callers
        .find(row, id, stored.seal())
        .filter(caller -> row.isLive(stored.now()))
        .map(caller -> caller.until(node.nanoTime() + left))
        .map(caller -> new OpenSession(id, caller, row.expireTime()))
        .map(session -> Known.of(session, stored))
        .orElse(Known.NOTHING);
  }

  /**
   * Refuses a connection over which others could read the cookie of a session.
   *
   * @throws FlowException with {@link ErrorCode#NOT_PERMITTED}
   */
  public void requireSafe(HttpServletRequest request) {
    cookie.requireSafe(request);
  }

  /**
   * Begins a session of the caller for whom this thread works, and gives its cookie to the browser
   * until it is closed.
   *
   * @param latestEnd epoch ms, when it ends at the latest
   * @throws FlowException if it has too many, or begins too many in a minute, or its key needs a
   *     certificate, or it has none, or others could read the cookie
   */
  public OpenSession begin(
      Caller caller, long latestEnd, HttpServletRequest request, HttpServletResponse response) {
    if (caller.kind() == Caller.Kind.LOCAL) {
      throw new FlowException(
          ErrorCode.TRANSITION_NOT_ALLOWED,
          "this server asks for no key, so nobody needs a session");
    }
    cookie.requireSafe(request);
    OpenSession session = begin(caller, latestEnd);
    cookie.set(request, response, session.id().text(), UNTIL_CLOSED);
    return session;
  }

  private OpenSession begin(Caller caller, long latestEnd) {
    if (callers.needsCertificate(caller.principal())) {
      throw new FlowException(
          ErrorCode.TRANSITION_NOT_ALLOWED,
          "a key that needs a certificate begins no session: the cookie would do without it");
    }
    store.deleteEnded();
    SessionId id = SessionId.random();
    SessionRow row =
        transactions.execute(
            () -> {
              store.lock(); // or others would begin what is counted here
              Count count = store.count(caller.principal());
              refuseIfOften(caller.principal(), count.now());
              if (count.live() >= MOST_OF_A_CALLER) {
                throw new FlowException(
                    ErrorCode.LIMIT_EXCEEDED,
                    "there are " + MOST_OF_A_CALLER + " sessions of your key: end some of them");
              }
              SessionRow begun =
                  SessionRow.begin(
                      id, caller.principal(), callers.granted(caller), count.now(), latestEnd);
              store.insert(begun, callers.seal(begun, id));
              acts.record(
                  Act.of(LOG_IN, id.toString()).with(Map.of("expireTime", begun.expireTime())));
              return begun;
            });
    return new OpenSession(id, caller.inSession(), row.expireTime());
  }

  /** Each leaves two acts, which are kept for a year. */
  private void refuseIfOften(String principal, long now) {
    ActFilter lately = new ActFilter(principal, null, LOG_IN, now - ONE_MINUTE_MS, null);
    if (recorded.list(lately, Place.NEWEST, mostAMinute).size() >= mostAMinute) {
      throw new RateExceededException(
          "your key begins more than " + mostAMinute + " sessions a minute; none was begun",
          Duration.ofMinutes(1));
    }
  }

  /** Ends all sessions of a caller, in the transaction of this thread. */
  public void endAllOf(String principal) {
    store.deleteAllOf(principal);
  }

  /**
   * Ends the session of a request, and takes its cookie from the browser.
   *
   * @return whether the request had one
   */
  public boolean end(HttpServletRequest request, HttpServletResponse response) {
    boolean hadOne = end(request);
    if (hadOne) {
      cookie.clear(request, response);
    }
    return hadOne;
  }

  /**
   * Ends the session of a request whose browser is about to get another one: nobody could end it
   * any more.
   *
   * @return whether the request had one
   */
  public boolean end(HttpServletRequest request) {
    OpenSession session = OpenSession.of(request);
    if (session == null) {
      return false;
    }
    transactions.run(
        () -> {
          if (store.delete(session.id().hash())) {
            acts.record(Act.of("LOG_OUT", session.id().toString()));
          }
        });
    read.put(session.id().text(), Known.NOTHING);
    calls.endSessions(Set.of(session.name()));
    return true;
  }
}
