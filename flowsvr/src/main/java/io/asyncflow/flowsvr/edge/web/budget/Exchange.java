package io.asyncflow.flowsvr.edge.web.budget;

import io.asyncflow.api.FlowException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.apache.coyote.Processor;
import org.apache.coyote.Request;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.Authentication;

/**
 * A request and its answer, with the amounts that they have taken from {@link Budget}s.
 *
 * <p>The amounts are given back when the answer is written, or when the request is parked: when no
 * thread is occupied with it any more.
 *
 * <p>The thread waits for its client for a moment only, be it for bytes of the body or for room for
 * those of the answer, unless the exchange has got a {@linkplain #mayWait place} among those that
 * wait. This holds for whatever Tomcat reads and writes, so that there are always threads for
 * requests whose clients keep none of them waiting. An answer of usual length waits for nothing: it
 * has room in the buffer of a connection whose client has read the answers before.
 *
 * <p>Used by the thread that is occupied with the request, one at a time.
 */
public final class Exchange {

  /** Longer than the rest of a small body is on its way after its head. */
  private static final int MOMENT_MS = 20;

  private static final String NAME = Exchange.class.getName();

  /** One that Tomcat has no use for. */
  private static final int NOTE = 31;

  private final Processor processor;
  private final long patienceMs;
  private final Deque<Runnable> taken = new ArrayDeque<>();
  private SocketWrapperBase<?> connection;
  private Threads threads;
  private String caller = Budget.WITHOUT_KEY;
  private boolean works;
  private Runnable place;
  private Runnable onBody;

  /**
   * @param processor reads the request
   * @param patienceMs how long an exchange with a place waits for the next byte, or for room for it
   */
  public Exchange(Processor processor, long patienceMs) {
    this.processor = processor;
    this.patienceMs = patienceMs;
    processor.getRequest().setNote(NOTE, this);
  }

  private Exchange() {
    this.processor = null;
    this.patienceMs = 0;
  }

  /** That of a request; one that has no connection, in a test, has its own. */
  public static Exchange of(HttpServletRequest request) {
    if (request.getAttribute(NAME) instanceof Exchange known) {
      return known;
    }
    Exchange exchange = new Exchange();
    request.setAttribute(NAME, exchange);
    return exchange;
  }

  /** That of a request of Tomcat's; {@code null} if it has none. */
  static Exchange of(Request request) {
    return (Exchange) request.getNote(NOTE);
  }

  /** The request as Tomcat reads it; empty in a test, and over HTTP/2. */
  public Optional<Request> request() {
    return Optional.ofNullable(processor).map(Processor::getRequest);
  }

  /** A thread begins to be occupied with the connection. */
  public void enter(SocketWrapperBase<?> connection) {
    this.connection = connection;
  }

  /** The thread goes on with a parked request. */
  void resume() {
    end();
    waitUpTo(MOMENT_MS);
  }

  /** The thread has read a head. */
  void begin(HttpServletRequest request, HttpServletResponse response, Threads threads) {
    resume();
    request.setAttribute(NAME, this);
    this.threads = threads;
    caller = Budget.WITHOUT_KEY;
    boolean isRefused = response.getStatus() >= 400; // Tomcat could not read the head, and closes
    if (!isRefused && isPipelined(request)) {
      response.setHeader(HttpHeaders.CONNECTION, "close");
    }
  }

  /**
   * Whether the next request has come before this one is answered. The thread would go on with it,
   * and not with the requests of others that have waited longer. Common clients wait for answers.
   */
  private boolean isPipelined(HttpServletRequest request) {
    ByteBuffer further = processor.getLeftoverInput();
    return further != null
        && further.remaining() > Math.max(0, request.getContentLengthLong())
        && request.getHeader(HttpHeaders.TRANSFER_ENCODING) == null; // or it may be the body
  }

  /**
   * The thread is not occupied with the connection any more, which may wait for its next request as
   * long as Tomcat has said.
   */
  public void leave() {
    long forNextHead = connection == null ? 0 : connection.getReadTimeout();
    end();
    if (connection != null) {
      connection.setWriteTimeout(patienceMs);
      connection.setReadTimeout(forNextHead == MOMENT_MS ? patienceMs : forNextHead);
    }
    connection = null;
  }

  private void end() {
    leavePlace();
    works = false;
    onBody = null;
    while (!taken.isEmpty()) {
      taken.pop().run();
    }
  }

  private void waitUpTo(long millis) {
    if (connection != null) {
      connection.setReadTimeout(millis);
      connection.setWriteTimeout(millis);
    }
  }

  /**
   * Tells whose request it is.
   *
   * @param caller {@code null} for a request without a key
   */
  public void isOf(Authentication caller) {
    this.caller = caller == null ? Budget.WITHOUT_KEY : (String) caller.getCredentials();
  }

  /**
   * Takes an amount until the end of the exchange.
   *
   * @throws FlowException with {@link io.asyncflow.api.ErrorCode#LIMIT_EXCEEDED} if not as much is
   *     left
   */
  public void take(Budget budget, long amount) {
    if (!tryTake(budget, amount)) {
      throw budget.spent();
    }
  }

  /** Refuses what {@link #take} would refuse, and takes nothing. */
  public void require(Budget budget, long amount) {
    Runnable giveBack = amount > 0 ? takenFrom(budget, amount) : () -> {};
    if (giveBack == null) {
      throw budget.spent();
    }
    giveBack.run();
  }

  /** {@code null} if not as much is left. */
  private Runnable takenFrom(Budget budget, long amount) {
    String of = caller;
    return budget.take(of, amount) ? () -> budget.giveBack(of, amount) : null;
  }

  /** As {@link #take}; returns whether there was as much. */
  public boolean tryTake(Budget budget, long amount) {
    Runnable giveBack = takenFrom(budget, amount);
    if (giveBack != null) {
      taken.push(giveBack);
    }
    return giveBack != null;
  }

  /** Takes one of the threads that work, unless the exchange has one; whether there was one. */
  public boolean mayWork() {
    works = works || threads == null || tryTake(threads.working(), 1);
    return works;
  }

  /**
   * Takes a thread that works, and a place among those that may wait for their clients, unless the
   * exchange has them; whether there were.
   */
  public boolean mayWait() {
    if (place == null && threads != null && mayWork()) {
      place = takenFrom(threads.waiting(), 1);
      if (place != null) {
        waitUpTo(patienceMs);
      }
    }
    return place != null || threads == null;
  }

  /** The answer to a request whose client would have to be waited for. */
  public FlowException hasNoPlace() {
    return threads.waiting().spent();
  }

  private void leavePlace() {
    if (place != null) {
      place.run();
      place = null;
      waitUpTo(MOMENT_MS);
    }
  }

  /** Has something done when the body has come and its client is not waited for any more. */
  public void onBody(Runnable action) {
    onBody = action;
  }

  /** The whole body has been read. */
  public void bodyHasCome() {
    leavePlace();
    Runnable action = onBody;
    onBody = null;
    if (action != null) {
      action.run();
    }
  }
}
