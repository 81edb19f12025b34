package io.asyncflow.bench.flow;

import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Task;
import io.asyncflow.bench.bed.FlowBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.system.Loops;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.HdrHistogram.Histogram;

/**
 * Four clients that create a task, hold what is due and report it, fifty times a second each, and
 * remember how long each call took. A call that fails ends them.
 */
public final class LiveCalls implements AutoCloseable {

  /** As many as are created between two holds, and then some. */
  static final int FEW = 10;

  private static final int CLIENTS = 4;
  private static final long NANOS_A_TURN = TimeUnit.MILLISECONDS.toNanos(20);

  private record Call(boolean isHold, long began, long ended) {}

  private final FlowBed bed;
  private final String type;
  private final int heldAtOnce;
  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private final Loops clients = new Loops();

  private LiveCalls(FlowBed bed, String type, int heldAtOnce) {
    this.bed = bed;
    this.type = type;
    this.heldAtOnce = heldAtOnce;
  }

  /**
   * @param heldAtOnce the most tasks of a hold
   */
  public static LiveCalls start(FlowBed bed, String type, int heldAtOnce) throws Exception {
    LiveCalls calls = new LiveCalls(bed, type, heldAtOnce);
    calls.clients.start(CLIENTS, () -> calls::takeTurn);
    return calls;
  }

  private void takeTurn() throws InterruptedException {
    long begin = System.nanoTime();
    bed.flow().createTask(Workload.task(type, 0));
    long created = note(false, begin);
    List<Task> held =
        bed.flow().holdTasks(new HoldRequest(type, heldAtOnce, "bench", null, null, null));
    long answered = note(true, created);
    if (!held.isEmpty()) {
      bed.flow().report(held.stream().map(Workload::success).toList());
      answered = note(false, answered);
    }
    TimeUnit.NANOSECONDS.sleep(NANOS_A_TURN - (answered - begin));
  }

  private long note(boolean isHold, long began) {
    long ended = System.nanoTime();
    calls.add(new Call(isHold, began, ended));
    return ended;
  }

  /** Calls that were under way at any moment of a time; microseconds. */
  Histogram between(long from, long to) {
    return between(from, to, call -> true);
  }

  /** The holds of these calls. */
  public Histogram holdsBetween(long from, long to) {
    return between(from, to, Call::isHold);
  }

  private Histogram between(long from, long to, Predicate<Call> which) {
    Histogram latencies = new Histogram(3);
    calls.stream()
        .filter(which)
        .filter(call -> call.ended() >= from && call.began() <= to)
        .forEach(call -> latencies.recordValue((call.ended() - call.began()) / 1000));
    return latencies;
  }

  /** Throws what a call failed with. */
  public void check() throws Exception {
    clients.check();
  }

  @Override
  public void close() throws Exception {
    clients.close();
  }
}
