package io.asyncflow.flowsvr.system.concurrent;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.system.Outage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.springframework.dao.PessimisticLockingFailureException;

/**
 * Natural batching, also known as group commit: calls that arrive while others of their key are
 * being carried out wait for those, and are then carried out together.
 *
 * <pre>
 *   idle      a ─▶ alone(a)                     a lone call waits for nothing: no timer
 *   busy      b, c, d ─▶ wait
 *   a done    d ─▶ together(b, c, d)            one of them, in its own thread: no thread of ours
 *             b, c ◀─ what theirs came to
 * </pre>
 *
 * <p>So the busier the database is, the larger the batches. A call returns, or throws, only when
 * what it asked for has been carried out.
 *
 * <p><b>Nobody pays for others.</b> A call that a batch leaves out goes alone, and in its own
 * thread. A batch that fails is carried out anew, each call like that; only an outage is told to
 * all at once, for each would meet it again. A batch that takes long, as behind a lock, does not
 * hold up those after it: they go beside it.
 *
 * <p><b>Back-pressure.</b> Each call takes a thread of its caller. Past a bound calls are refused
 * with {@link ErrorCode#LIMIT_EXCEEDED}, so that they never take all threads there are.
 *
 * <p>Thread-safe.
 *
 * @param <K> of what calls have in common that go together; remembered while there are any
 * @param <C> what is asked for
 * @param <R> what it came to
 */
public final class NaturalBatches<K, C, R> {

  private static final Duration PATIENCE = Duration.ofMillis(200);

  /** How calls of a key are carried out; used by many threads at once. */
  public interface Work<K, C, R> {

    /** Carries out one call, with all the patience that it deserves. */
    R alone(K key, C call);

    /**
     * Carries out several calls in one commit.
     *
     * @return what each came to, in order; {@code null} for one of which nothing was done because
     *     it is to be carried out alone
     * @throws RuntimeException if nothing was done of any, for whatever reason
     */
    List<R> together(K key, List<C> calls);
  }

  private final Work<K, C, R> work;
  private final Semaphore room;
  private final long patience;
  private final Map<K, Lane> lanes = new ConcurrentHashMap<>();

  /**
   * @param mostCalls at a time, over all keys
   */
  public NaturalBatches(int mostCalls, Work<K, C, R> work) {
    this(mostCalls, PATIENCE, work);
  }

  NaturalBatches(int mostCalls, Duration patience, Work<K, C, R> work) {
    this.work = work;
    this.room = new Semaphore(mostCalls);
    this.patience = patience.toNanos();
  }

  /**
   * Carries out a call, by itself or with others of its key.
   *
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if too many calls are under way
   */
  public R call(K key, C call) {
    if (!room.tryAcquire()) {
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED, "too many such calls at the moment, nothing was done");
    }
    try {
      Waiting mine = new Waiting(call);
      Lane lane = enter(key);
      try {
        lane.pass(mine);
      } finally {
        leave(key);
      }
      return mine.wantsToBeAlone ? work.alone(key, call) : mine.resultOrThrow();
    } finally {
      room.release();
    }
  }

  private Lane enter(K key) {
    return lanes.compute(
        key,
        (k, standing) -> {
          Lane lane = standing == null ? new Lane(k) : standing;
          lane.users++;
          return lane;
        });
  }

  private void leave(K key) {
    lanes.computeIfPresent(key, (k, lane) -> --lane.users == 0 ? null : lane);
  }

  /** How many keys have calls at the moment. */
  int keys() {
    return lanes.size();
  }

  /** How many calls of this key wait for others at the moment. */
  int waiting(K key) {
    Lane lane = lanes.get(key);
    return lane == null ? 0 : lane.waiting();
  }

  /** A call, and what it came to once it is {@link #done}. */
  private final class Waiting {
    private final C call;
    private final Thread thread = Thread.currentThread();
    private R result;
    private Throwable failure;
    private boolean wantsToBeAlone;
    private volatile boolean done;

    Waiting(C call) {
      this.call = call;
    }

    void becomes(R value) {
      result = value;
      settle();
    }

    void becomesOrGoesAlone(R value) {
      if (value == null) {
        goesAlone();
      } else {
        becomes(value);
      }
    }

    void fails(Throwable why) {
      failure = why;
      settle();
    }

    void goesAlone() {
      wantsToBeAlone = true;
      settle();
    }

    private void settle() {
      done = true;
      LockSupport.unpark(thread);
    }

    R resultOrThrow() {
      if (failure instanceof Error error) {
        throw error;
      }
      if (failure != null) {
        throw (RuntimeException) failure;
      }
      return result;
    }
  }

  /** The calls of one key. */
  private final class Lane {
    private final K key;
    private List<Waiting> queue = new ArrayList<>();
    private Object underWay;
    private long since;

    /** Calls that are in it; touched only where the map changes its entry. */
    private int users;

    Lane(K key) {
      this.key = key;
    }

    /** Returns when the call is settled, by this thread or by another. */
    void pass(Waiting mine) {
      boolean interrupted = false;
      join(mine);
      while (!mine.done) {
        List<Waiting> batch = takeTurn(mine);
        if (batch.isEmpty()) {
          LockSupport.parkNanos(this, patience);
          interrupted |= Thread.interrupted(); // what it waits for is not undone by an interrupt
        } else {
          carryOut(batch);
          endTurn(batch);
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    synchronized int waiting() {
      return queue.size();
    }

    private synchronized void join(Waiting mine) {
      queue.add(mine);
    }

    /** All that wait, this one among them, if nobody is at it or whoever is takes long. */
    private synchronized List<Waiting> takeTurn(Waiting mine) {
      boolean busy = underWay != null && System.nanoTime() - since < patience;
      if (busy || !queue.contains(mine)) {
        return List.of();
      }
      List<Waiting> batch = queue;
      queue = new ArrayList<>();
      underWay = batch;
      since = System.nanoTime();
      return batch;
    }

    private void carryOut(List<Waiting> batch) {
      try {
        if (batch.size() == 1) {
          batch.get(0).becomes(work.alone(key, batch.get(0).call));
        } else {
          List<R> results = work.together(key, batch.stream().map(w -> w.call).toList());
          for (int i = 0; i < results.size(); i++) {
            batch.get(i).becomesOrGoesAlone(results.get(i));
          }
        }
      } catch (RuntimeException | Error e) {
        boolean hopeless = batch.size() == 1 || e instanceof Error || isOutage(e);
        batch.forEach(hopeless ? w -> w.fails(e) : Waiting::goesAlone);
      }
    }

    private synchronized void endTurn(List<Waiting> batch) {
      if (underWay == batch) {
        underWay = null;
      }
      if (underWay == null && !queue.isEmpty()) {
        LockSupport.unpark(queue.get(0).thread);
      }
    }
  }

  /**
   * Whether each call would fail like this by itself; one alone may want a grant that is missing.
   */
  private static boolean isOutage(Throwable e) {
    return !(e instanceof PessimisticLockingFailureException)
        && !Outage.isDenied(e)
        && Outage.of(e).isPresent();
  }
}
