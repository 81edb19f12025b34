package io.asyncflow.spring.outbox;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.OneLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Sends what {@link TransactionalFlowClient} keeps: a hundred tasks at a time, the oldest first,
 * and deletes them when flowsvr has answered. One thread; it uses one connection while it sends.
 *
 * <p>If flowsvr does not answer, all tasks stay where they are, and the relay tries again, at last
 * every thirty seconds. If flowsvr refuses a call, or the client cannot make it, its tasks are sent
 * one by one: a task that may be accepted later is tried again, at last every ten minutes; any
 * other one is kept with the refusal and is not sent again. If the limits of flowsvr refuse the
 * tasks of several users, it is the limit of all, and the relay pauses. If the same tasks get no
 * answer of flowsvr time after time, as where something between refuses one of them, the newest are
 * sent one by one, to see whether others get one.
 */
public final class OutboxRelay implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(OutboxRelay.class);

  private static final int BATCH = 100;
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** How long a stop sends what is left; Spring Boot waits for 30 s. */
  private static final Duration GRACE = Duration.ofSeconds(20);

  private static final long FIRST_DELAY_MS = 1_000;
  private static final int MOST_DOUBLINGS = 9;

  /** So many refusals in a row, of different users, are of all tasks and not of these. */
  private static final int MOST_TRIES = 3;

  /** So often the same tasks get no answer before the others are tried without them. */
  private static final int MOST_FAILURES = 5;

  private static final long LONGEST_DELAY_MS = 600_000;

  private final OutboxTable table;
  private final FlowClient client;
  private final Duration pollInterval;
  private final Duration grace;
  private final Semaphore news = new Semaphore(0);
  private Thread thread;
  private volatile Stop stop;
  private Duration pause = Duration.ZERO;
  private String firstUnanswered;
  private int failures;

  OutboxRelay(OutboxTable table, FlowClient client, Duration pollInterval) {
    this(table, client, pollInterval, GRACE);
  }

  /**
   * @param grace how long a stop sends what is left
   */
  OutboxRelay(OutboxTable table, FlowClient client, Duration pollInterval, Duration grace) {
    this.table = table;
    this.client = client;
    this.pollInterval = pollInterval;
    this.grace = grace;
  }

  @Override
  public synchronized void start() {
    if (thread == null) {
      table.requireUsable();
      Stop end = new Stop();
      stop = end;
      thread = new Thread(() -> run(end), "asyncflow-outbox");
      thread.setDaemon(true); // the end of the application's context stops it
      thread.start();
    }
  }

  /** Lets the relay look at the table now. */
  void wakeUp() {
    news.release();
  }

  /** The request to stop, and the time that is left then. */
  private static final class Stop {

    private final CountDownLatch requested = new CountDownLatch(1);
    private volatile long deadline;

    void request(Duration grace) {
      deadline = System.nanoTime() + grace.toNanos();
      requested.countDown();
    }

    boolean isRequested() {
      return requested.getCount() == 0;
    }

    /** Whether something that takes so long would not end in time. */
    boolean isTooSoonFor(long nanos) {
      return isRequested() && deadline - System.nanoTime() < nanos;
    }

    boolean isOver() {
      return isRequested() && System.nanoTime() - deadline > 0;
    }

    boolean await(Duration atMost) throws InterruptedException {
      return requested.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void run(Stop end) {
    try {
      while (true) {
        news.drainPermits();
        // Then this is for what was committed while the other parts of the application stopped.
        boolean isLast = end.isRequested();
        long begin = System.nanoTime();
        Throwable failure = sendAll(end);
        if (failure != null && (isLast || end.isTooSoonFor(System.nanoTime() - begin))) {
          // Such as of a database that ends with the process, too, or of a server that is silent.
          log.info(
              "the outbox is not sent any more, and the next start sends what is left: {}",
              OneLine.ofThrowable(failure));
          return;
        }
        if (isLast) {
          return;
        }
        if (failure != null) {
          failed(failure, end);
        } else if (!end.isRequested()) { // whose news may just have been drained
          news.tryAcquire(pollInterval.toMillis(), TimeUnit.MILLISECONDS);
        }
      }
    } catch (InterruptedException e) {
      log.debug("the relay is interrupted; the next start sends what is left");
    }
  }

  /** Returns why not, or {@code null}. An error, too, must not end the only thread that sends. */
  private Throwable sendAll(Stop end) {
    try {
      while (sendOnce() == BATCH && !end.isOver()) {
        worked();
      }
      worked();
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  private void worked() {
    if (!pause.isZero()) {
      log.info("the tasks of the outbox are sent again");
      pause = Duration.ZERO;
    }
  }

  /** Pauses. A failure is logged only after that: if the application ends, it is no news. */
  private void failed(Throwable e, Stop end) throws InterruptedException {
    boolean isFirst = pause.isZero();
    Duration doubled = isFirst ? FIRST_PAUSE : pause.multipliedBy(2);
    pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    boolean stopped = end.await(pause);
    if (isFirst && !stopped) {
      log.warn(
          "the tasks of the outbox are not sent now, and it is tried again: {}",
          OneLine.of(String.valueOf(e.getMessage())),
          e instanceof FlowException ? null : e);
    }
  }

  /**
   * Sends the tasks that are due, up to a hundred.
   *
   * @return how many
   * @throws FlowException if flowsvr does not answer, or takes none from this client now
   */
  int sendOnce() {
    Turn turn = table.claim(this::send, BATCH, System.currentTimeMillis());
    if (turn.failure() != null) {
      throw turn.failure();
    }
    return turn.tasks();
  }

  /**
   * @param failure why the turn ended early; {@code null} if it did not
   */
  private record Turn(int tasks, FlowException failure) {}

  private Turn send(List<OutboxTask> claimed) {
    Refusals refusals = new Refusals();
    List<OutboxTask> rows = new ArrayList<>(claimed);
    rows.removeIf(row -> row.task() == null && refusals.isUnreadable(row));
    if (rows.isEmpty()) {
      return new Turn(claimed.size(), null);
    }
    try {
      client.create(rows.stream().map(OutboxTask::task).toList());
    } catch (FlowException e) {
      if (isOfSomeTask(e.errorCode())) {
        return sendEach(rows, refusals);
      }
      return isFailedOften(rows) ? sendNewest(rows, refusals, e) : new Turn(0, e);
    } catch (Throwable e) { // errors too, as of a codec that cannot seal one of them
      return sendEach(rows, refusals);
    }
    table.delete(rows);
    return new Turn(claimed.size(), null);
  }

  private Turn sendEach(List<OutboxTask> rows, Refusals refusals) {
    Map<List<String>, FlowException> limited = new HashMap<>();
    int refused = 0;
    boolean isAccepted = false;
    for (int i = 0; i < rows.size() && !isOver(); i++) {
      OutboxTask row = rows.get(i);
      List<String> user = Arrays.asList(row.task().taskType(), row.task().userId()); // perhaps null
      if (limited.containsKey(user)) {
        refusals.byServer(row, limited.get(user));
        continue;
      }
      try {
        client.create(row.task());
        isAccepted = true;
      } catch (FlowException e) {
        if (!isOfSomeTask(e.errorCode())) {
          return new Turn(i, e);
        }
        refusals.byServer(row, e);
        if (e.errorCode() == ErrorCode.LIMIT_EXCEEDED) {
          limited.put(user, e);
        }
        if (mayBeOfAll(e.errorCode()) && ++refused == MOST_TRIES && !isAccepted) {
          return new Turn(i, e);
        }
        continue;
      } catch (Throwable e) {
        refusals.byClient(row, e);
        continue;
      }
      table.delete(List.of(row));
    }
    return new Turn(rows.size(), null);
  }

  /** Whether the tasks that begin with this one have got no answer several times in a row. */
  private boolean isFailedOften(List<OutboxTask> rows) {
    String first = rows.get(0).id();
    failures = first.equals(firstUnanswered) ? failures + 1 : 1;
    firstUnanswered = first;
    return failures > MOST_FAILURES;
  }

  /**
   * Postpones those that get no answer, if others do.
   *
   * @param failure of all at once
   */
  private Turn sendNewest(List<OutboxTask> rows, Refusals refusals, FlowException failure) {
    Map<OutboxTask, FlowException> unanswered = new LinkedHashMap<>();
    int accepted = 0;
    for (int i = rows.size() - 1; i >= 0 && !isOver(); i--) {
      OutboxTask row = rows.get(i);
      try {
        client.create(row.task());
      } catch (FlowException e) {
        unanswered.put(row, e);
        if (accepted == 0 && unanswered.size() == MOST_TRIES) {
          break;
        }
        continue;
      } catch (Throwable e) {
        refusals.byClient(row, e);
        continue;
      }
      table.delete(List.of(row));
      accepted++;
    }
    if (accepted == 0) {
      return new Turn(0, failure);
    }
    unanswered.forEach(refusals::unanswered);
    return new Turn(rows.size(), null);
  }

  private boolean isOver() {
    Stop end = stop;
    return end != null && end.isOver();
  }

  /** What becomes of the refused tasks of one turn; the log names each reason for a wait once. */
  private final class Refusals {

    private final Set<String> logged = new HashSet<>();

    /** Perhaps another instance can, whose version wrote it. */
    boolean isUnreadable(OutboxTask row) {
      postpone(row, "a task", "this version of the application cannot read it");
      return true;
    }

    void byClient(OutboxTask row, Throwable e) {
      postpone(row, nameOf(row), OneLine.of(e.toString()));
    }

    /** Something between may refuse it, and let others through. */
    void unanswered(OutboxTask row, FlowException e) {
      if (isOfSomeTask(e.errorCode())) {
        byServer(row, e);
      } else {
        postpone(row, nameOf(row), OneLine.of(String.valueOf(e.getMessage())));
      }
    }

    void byServer(OutboxTask row, FlowException e) {
      String why = OneLine.of(e.errorCode().code() + " " + e.getMessage());
      if (mayBeAcceptedLater(e.errorCode())) {
        postpone(row, nameOf(row), why);
        return;
      }
      table.giveUp(row, why);
      log.error(
          "flowsvr refuses task {} of the outbox, of type {}: {}; it stays in {} and is sent again"
              + " if its due_ms is set to 0",
          row.id(),
          OneLine.of(row.task().taskType()),
          why,
          table.name());
    }

    private static String nameOf(OutboxTask row) {
      return "a task of type " + OneLine.of(row.task().taskType());
    }

    private void postpone(OutboxTask row, String what, String why) {
      long delay = FIRST_DELAY_MS << Math.min(row.attempts(), MOST_DOUBLINGS);
      table.postpone(row, System.currentTimeMillis() + Math.min(delay, LONGEST_DELAY_MS), why);
      if (row.attempts() == 0 && logged.add(what + why)) {
        log.warn("{} of the outbox cannot be sent now, and it is tried again: {}", what, why);
      } else {
        log.debug("task {} of the outbox cannot be sent now: {}", row.id(), why);
      }
    }
  }

  /** Whether the other tasks of a call may be accepted all the same. */
  private static boolean isOfSomeTask(ErrorCode code) {
    return switch (code) {
      case INVALID_INPUT,
          MALFORMED_BODY,
          NO_SUCH_TASK_TYPE,
          TRANSITION_NOT_ALLOWED,
          IDEMPOTENCY_CONFLICT,
          TOO_LARGE,
          OUT_OF_SCOPE,
          SEALING_RULE,
          LIMIT_EXCEEDED,
          INTERNAL ->
          true;
      default -> false;
    };
  }

  /** Whether it may have nothing to do with the task, but with all that this client sends. */
  private static boolean mayBeOfAll(ErrorCode code) {
    return code == ErrorCode.LIMIT_EXCEEDED || code == ErrorCode.INTERNAL;
  }

  /** Types, scopes and limits change without a change of the task. */
  private static boolean mayBeAcceptedLater(ErrorCode code) {
    return switch (code) {
      case NO_SUCH_TASK_TYPE, OUT_OF_SCOPE, LIMIT_EXCEEDED, INTERNAL -> true;
      default -> false;
    };
  }

  /** Sends what is left, for twenty seconds at most. */
  @Override
  public void stop() {
    Thread ending;
    synchronized (this) {
      ending = thread;
      thread = null;
      if (ending == null) {
        return;
      }
      stop.request(grace);
      wakeUp();
    }
    try {
      // A call that is under way may take longer; what it sent is sent again, under the same id.
      ending.join(grace.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return thread != null;
  }

  /** Starts before and stops after the web server, whose requests commit until then. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE - 4_096;
  }
}
