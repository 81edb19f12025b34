package io.asyncflow.bench;

import java.time.Duration;

/** Tasks created one by one through flowsvr's REST interface, by 32 clients. */
final class FlowSingleCreates implements Contender<Duration> {

  static final int CLIENTS = 32;
  static final String TYPE = "bench_create";

  private final TestBed bed;

  FlowSingleCreates(TestBed bed) {
    this.bed = bed;
    bed.addType(Workload.type(TYPE, 100));
  }

  @Override
  public String name() {
    return "flowsvr, createTask, " + CLIENTS + " clients";
  }

  @Override
  public Duration run(int tasks) throws Exception {
    int before = bed.count(TYPE, 1);
    Duration took =
        Crowd.share(tasks, CLIENTS, () -> unit -> bed.flow().createTask(Workload.task(TYPE, unit)));
    int created = bed.count(TYPE, 1) - before;
    if (created != tasks) {
      throw new IllegalStateException(created + " of " + tasks + " tasks were created");
    }
    return took;
  }
}
