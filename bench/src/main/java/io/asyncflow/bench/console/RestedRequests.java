package io.asyncflow.bench.console;

import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.flow.Requests;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Requests with a rest before each, after which a server has no snapshot that it would show: so
 * each has to wait until one is made.
 */
public final class RestedRequests implements Contender<Histogram> {

  private final Requests requests;
  private final Duration rest;
  private long last = System.nanoTime();

  public RestedRequests(Requests requests, Duration rest) {
    this.requests = requests;
    this.rest = rest;
  }

  @Override
  public String name() {
    return requests.name();
  }

  @Override
  public String conditions() {
    return "nobody has looked for " + rest.toSeconds() + " s before each request";
  }

  @Override
  public Histogram run(int times) throws Exception {
    Histogram latencies = new Histogram(3);
    for (int i = 0; i < times; i++) {
      TimeUnit.NANOSECONDS.sleep(last + rest.toNanos() - System.nanoTime());
      latencies.add(requests.run(1));
      last = System.nanoTime();
    }
    return latencies;
  }
}
