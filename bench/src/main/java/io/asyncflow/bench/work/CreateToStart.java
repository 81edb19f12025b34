package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * How long a task waits when nobody else does: from just before its creation to the start of its
 * handler, in a worker of this JVM, so that one clock tells both. Tasks arrive one by one at random
 * moments.
 */
public final class CreateToStart extends SystemContender<Histogram> {

  private static final int WARM_UP_ARRIVALS = 3;

  private final Arrivals gaps = new Arrivals();

  public CreateToStart(TaskSystem system) {
    super(system);
  }

  /** The first arrivals of a run find no worker that is quite awake, and do not count. */
  @Override
  public int share(int arrivals) {
    return super.share(arrivals) + WARM_UP_ARRIVALS;
  }

  @Override
  Histogram run(TaskSystem system, int first, int arrivals) throws Exception {
    long[] created = new long[arrivals];
    Starts starts = new Starts(first, arrivals);
    try (TaskSystem.Runner runner = system.run(starts);
        TaskSystem.Creator creator = system.creator()) {
      for (int i = 0; i < arrivals; i++) {
        TimeUnit.NANOSECONDS.sleep(gaps.nextGap().toNanos());
        created[i] = System.nanoTime();
        creator.createOne(first + i);
      }
      starts.awaitDone(system, runner);
    }
    Histogram latencies = new Histogram(3);
    for (int i = WARM_UP_ARRIVALS; i < arrivals; i++) {
      latencies.recordValue((starts.nanosOf(first + i) - created[i]) / 1000);
    }
    return latencies;
  }
}
