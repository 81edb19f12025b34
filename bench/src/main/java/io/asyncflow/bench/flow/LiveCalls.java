package io.asyncflow.bench.flow;

import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Task;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.system.Loops;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Four clients that create a task, hold what is due and report it, fifty times a second each, and
 * remember how long each call took. A call that fails ends them.
 */
final class LiveCalls implements AutoCloseable {

  private static final int CLIENTS = 4;
  private static final int HELD_AT_ONCE = 10;
  private static final long NANOS_A_TURN = TimeUnit.MILLISECONDS.toNanos(20);

  private record Call(long began, long ended) {}

  private final TestBed bed;
  private final String type;
  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private final Loops clients = new Loops();

  private LiveCalls(TestBed bed, String type) {
    this.bed = bed;
    this.type = type;
  }

  static LiveCalls start(TestBed bed, String type) throws Exception {
    LiveCalls calls = new LiveCalls(bed, type);
    calls.clients.start(CLIENTS, () -> calls::takeTurn);
    return calls;
  }

  private void takeTurn() throws InterruptedException {
    long begin = System.nanoTime();
    bed.flow().createTask(Workload.task(type, 0));
    long created = note(begin);
    List<Task> held =
        bed.flow().holdTasks(new HoldRequest(type, HELD_AT_ONCE, "bench", null, null, null));
    long answered = note(created);
    if (!held.isEmpty()) {
      bed.flow().report(held.stream().map(Workload::success).toList());
      answered = note(answered);
    }
    TimeUnit.NANOSECONDS.sleep(NANOS_A_TURN - (answered - begin));
  }

  private long note(long began) {
    long ended = System.nanoTime();
    calls.add(new Call(began, ended));
    return ended;
  }

  /** Calls that were under way at any moment of a time; microseconds. */
  Histogram between(long from, long to) {
    Histogram latencies = new Histogram(3);
    calls.stream()
        .filter(call -> call.ended() >= from && call.began() <= to)
        .forEach(call -> latencies.recordValue((call.ended() - call.began()) / 1000));
    return latencies;
  }

  /** Throws what a call failed with. */
  void check() throws Exception {
    clients.check();
  }

  @Override
  public void close() throws Exception {
    clients.close();
  }
}
