package io.asyncflow.bench.flow;

import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.contest.Contender;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** {@link LiveCalls} while nothing else happens. */
public final class CallsBesideNothing implements Contender<Histogram> {

  private final TestBed bed;
  private final String type;

  public CallsBesideNothing(TestBed bed, String type) {
    this.bed = bed;
    this.type = type;
    bed.addType(Workload.unrolledType(type));
  }

  @Override
  public String name() {
    return "without a drop";
  }

  /** Of as long a time again, when all is warm. */
  @Override
  public Histogram run(int millis) throws Exception {
    try (LiveCalls calls = LiveCalls.start(bed, type, LiveCalls.FEW)) {
      TimeUnit.MILLISECONDS.sleep(millis);
      long begin = System.nanoTime();
      TimeUnit.MILLISECONDS.sleep(millis);
      calls.check();
      return calls.between(begin, System.nanoTime());
    }
  }
}
