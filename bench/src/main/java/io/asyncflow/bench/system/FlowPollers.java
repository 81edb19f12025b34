package io.asyncflow.bench.system;

import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Task;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.system.FlowSystem.Fleet;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * flowsvr with a number of plain clients instead of a worker: each holds 100 tasks in a long poll,
 * reports them and asks again.
 */
public final class FlowPollers implements TaskSystem {

  private static final int BATCH = 100;
  private static final int WAIT_MS = 500;

  private final TestBed bed;
  private final FlowSystem flow;
  private final int pollers;

  public FlowPollers(TestBed bed, String type, int pollers) {
    this.bed = bed;
    this.flow = FlowSystem.of(bed, type, Fleet.PLAIN);
    this.pollers = pollers;
  }

  @Override
  public String name() {
    return pollers + (pollers == 1 ? " poller" : " pollers");
  }

  @Override
  public String conditions() {
    return "each holds " + BATCH + " and reports them in one call";
  }

  @Override
  public int bulk() {
    return flow.bulk();
  }

  @Override
  public Creator creator() {
    return flow.creator();
  }

  @Override
  public Runner run(IntConsumer started) throws Exception {
    return new Loops().start(pollers, () -> () -> poll(started));
  }

  private void poll(IntConsumer started) {
    HoldRequest request = new HoldRequest(flow.type(), BATCH, "bench", WAIT_MS, null, null);
    List<Task> held = bed.flow().holdTasks(request);
    held.forEach(task -> started.accept(Workload.numberOf(task.taskContext())));
    if (!held.isEmpty()) {
      bed.flow().report(held.stream().map(Workload::success).toList());
    }
  }

  @Override
  public int unfinished() throws Exception {
    return flow.unfinished();
  }
}
