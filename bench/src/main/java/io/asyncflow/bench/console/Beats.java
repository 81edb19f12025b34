package io.asyncflow.bench.console;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.bench.system.Loops;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Heartbeats of workers that are plain calls, evenly spread, so that no worker is ever lost. */
final class Beats implements AutoCloseable {

  /** A worker is lost after 30 s. */
  private static final Duration EVERY = Duration.ofSeconds(20);

  private final FlowClient flow;
  private final List<Heartbeat> beats;
  private final Loops loops = new Loops();
  private long next;
  private int sent;

  private Beats(FlowClient flow, List<Heartbeat> beats) {
    this.flow = flow;
    this.beats = beats;
  }

  /** Sends each of them once, and then again and again. */
  static Beats start(FlowClient flow, List<Heartbeat> beats) throws Exception {
    beats.forEach(flow::heartbeat);
    Beats started = new Beats(flow, beats);
    started.next = System.nanoTime();
    started.loops.start(1, () -> started::sendNext);
    return started;
  }

  private void sendNext() throws InterruptedException {
    next += EVERY.toNanos() / beats.size();
    TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
    flow.heartbeat(beats.get(sent++ % beats.size()));
  }

  @Override
  public void close() throws Exception {
    loops.close();
  }
}
