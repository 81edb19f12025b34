package io.asyncflow.systemtest.fault.database;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.systemtest.measure.Stopwatch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** Makes the same call again and again on a thread of its own, and takes the time of each. */
final class Probe implements AutoCloseable {

  private static final Duration PAUSE = Duration.ofMillis(100);

  /**
   * One call.
   *
   * @param began moment of its start
   * @param code 0 for success or the HTTP status, -1 if no answer came
   */
  record Call(long began, Duration took, int code) {

    /** The moment of its end. */
    long ended() {
      return began + took.toNanos();
    }
  }

  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  private Probe(IntSupplier call) {
    this.thread = new Thread(() -> repeat(call), "probe");
    thread.setDaemon(true);
  }

  static Probe start(Runnable call) {
    return start(() -> codeOf(call));
  }

  /** Of a call that says itself what code it was answered with. */
  static Probe start(IntSupplier call) {
    Probe probe = new Probe(call);
    probe.thread.start();
    return probe;
  }

  private void repeat(IntSupplier call) {
    try {
      do {
        Stopwatch watch = Stopwatch.start();
        int code = call.getAsInt();
        calls.add(new Call(watch.startedAt(), watch.elapsed(), code));
      } while (!closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static int codeOf(Runnable call) {
    try {
      call.run();
      return 0;
    } catch (FlowUnreachableException e) {
      return -1;
    } catch (FlowException e) {
      return e.errorCode().code();
    }
  }

  /** Calls that ended so far and began at or after a moment. */
  List<Call> since(long moment) {
    return calls.stream().filter(call -> call.began() >= moment).toList();
  }

  /** The longest that one of the calls took. */
  static Duration slowest(List<Call> calls) {
    return calls.stream().map(Call::took).max(Duration::compareTo).orElse(Duration.ZERO);
  }

  /** Ends after the call under way. */
  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a probe", e);
    }
  }
}
