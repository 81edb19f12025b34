package io.asyncflow.flowsvr.base.system.concurrent;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Outage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.springframework.dao.PessimisticLockingFailureException;

/**
 * Natural batching, also known as group commit: calls that arrive while others of the same key are
 * being executed wait for them, and are then executed together.
 *
 * <pre>
 *   idle      a ─▶ alone(a)                     a lone call never waits: no timer
 *   busy      b, c, d ─▶ wait
 *   a done    b ─▶ together(b, c, d)            executed by one of the callers' threads
 *             c, d ◀─ their results
 * </pre>
 *
 * <p>Batches grow with the load of the database. A call returns or throws only after its own
 * execution.
 *
 * <p><b>Isolation.</b> A call that a batch leaves out is executed alone, in its caller's thread.
 * After a failed batch each of its calls is executed that way; only an outage is thrown to all at
 * once, because each call would meet it again. A slow batch, as behind a lock, does not delay later
 * calls: they run in parallel to it.
 *
 * <p><b>Back-pressure.</b> Each call occupies its caller's thread. Beyond a limit, calls are
 * refused with {@link ErrorCode#LIMIT_EXCEEDED}, so that they never occupy all threads.
 *
 * <p>Thread-safe.
 *
 * @param <K> key of calls that may share a batch; kept while such calls exist
 * @param <C> a call's argument
 * @param <R> a call's result
 */
public final class NaturalBatches<K, C, R> {

  private static final Duration PATIENCE = Duration.ofMillis(200);

  /** Executes the calls of a key; must be thread-safe. */
  public interface Work<K, C, R> {

    /** Executes one call, with its full retries. */
    R alone(K key, C call);

    /**
     * Executes several calls in one commit.
     *
     * @return the result of each call, in order; {@code null} for a call that was not executed and
     *     must be executed alone
     * @throws RuntimeException if no call was executed, for whatever reason
     */
    List<R> together(K key, List<C> calls);
  }

  private final Work<K, C, R> work;
  private final Semaphore permits;
  private final long patience;
  private final Map<K, Lane> lanes = new ConcurrentHashMap<>();

  /**
   * @param mostCalls limit of concurrent calls over all keys
   */
  public NaturalBatches(int mostCalls, Work<K, C, R> work) {
    this(mostCalls, PATIENCE, work);
  }

  NaturalBatches(int mostCalls, Duration patience, Work<K, C, R> work) {
    this.work = work;
    this.permits = new Semaphore(mostCalls);
    this.patience = patience.toNanos();
  }

  /**
   * Executes a call, alone or with others of its key.
   *
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if too many calls are under way
   */
  public R call(K key, C call) {
    if (!permits.tryAcquire()) {
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED, "too many such calls at the moment, nothing was done");
    }
    try {
      Waiting waiting = new Waiting(call);
      Lane lane = enter(key);
      try {
        lane.execute(waiting);
      } finally {
        leave(key);
      }
      return waiting.mustRunAlone ? work.alone(key, call) : waiting.resultOrThrow();
    } finally {
      permits.release();
    }
  }

  private Lane enter(K key) {
    return lanes.compute(
        key,
        (k, existing) -> {
          Lane lane = existing == null ? new Lane(k) : existing;
          lane.users++;
          return lane;
        });
  }

  private void leave(K key) {
    lanes.computeIfPresent(key, (k, lane) -> --lane.users == 0 ? null : lane);
  }

  /** The number of keys with calls under way. */
  int keys() {
    return lanes.size();
  }

  /** The number of calls of this key that wait for others. */
  int waiting(K key) {
    Lane lane = lanes.get(key);
    return lane == null ? 0 : lane.waiting();
  }

  /** A call, and its result once it is {@link #done}. */
  private final class Waiting {
    private final C call;
    private final Thread thread = Thread.currentThread();
    private R result;
    private Throwable failure;
    private boolean mustRunAlone;
    private volatile boolean done;

    Waiting(C call) {
      this.call = call;
    }

    void complete(R value) {
      result = value;
      settle();
    }

    void completeOrRunAlone(R value) {
      if (value == null) {
        runAlone();
      } else {
        complete(value);
      }
    }

    void fail(Throwable why) {
      failure = why;
      settle();
    }

    void runAlone() {
      mustRunAlone = true;
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
    private Object running;
    private long startedAt;

    /** Calls of this key; accessed only inside the map's atomic operations. */
    private int users;

    Lane(K key) {
      this.key = key;
    }

    /** Returns when the call is executed, by this thread or another. */
    void execute(Waiting self) {
      boolean interrupted = false;
      join(self);
      while (!self.done) {
        List<Waiting> batch = takeTurn(self);
        if (batch.isEmpty()) {
          LockSupport.parkNanos(this, patience);
          interrupted |= Thread.interrupted(); // an interrupt would not undo the call
        } else {
          executeBatch(batch);
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

    private synchronized void join(Waiting self) {
      queue.add(self);
    }

    /**
     * All waiting calls with this one among them, if no batch is running or the running one is
     * slow.
     */
    private synchronized List<Waiting> takeTurn(Waiting self) {
      boolean busy = running != null && System.nanoTime() - startedAt < patience;
      if (busy || !queue.contains(self)) {
        return List.of();
      }
      List<Waiting> batch = queue;
      queue = new ArrayList<>();
      running = batch;
      startedAt = System.nanoTime();
      return batch;
    }

    private void executeBatch(List<Waiting> batch) {
      try {
        if (batch.size() == 1) {
          batch.get(0).complete(work.alone(key, batch.get(0).call));
        } else {
          List<R> results = work.together(key, batch.stream().map(w -> w.call).toList());
          for (int i = 0; i < results.size(); i++) {
            batch.get(i).completeOrRunAlone(results.get(i));
          }
        }
      } catch (RuntimeException | Error e) {
        boolean hopeless = batch.size() == 1 || e instanceof Error || isOutage(e);
        batch.forEach(hopeless ? w -> w.fail(e) : Waiting::runAlone);
      }
    }

    private synchronized void endTurn(List<Waiting> batch) {
      if (running == batch) {
        running = null;
      }
      if (running == null && !queue.isEmpty()) {
        LockSupport.unpark(queue.get(0).thread);
      }
    }
  }

  /**
   * Whether every call would fail alone in the same way. A missing grant may affect one statement
   * only, so it does not count.
   */
  private static boolean isOutage(Throwable e) {
    return !(e instanceof PessimisticLockingFailureException)
        && !Outage.isDenied(e)
        && Outage.of(e).isPresent();
  }
}
