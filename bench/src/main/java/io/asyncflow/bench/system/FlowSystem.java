package io.asyncflow.bench.system;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.bench.bed.FlowBed;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** Ourselves: flowsvr over REST, and a worker of the SDK. */
public final class FlowSystem implements TaskSystem {

  private static final int BULK = 500;
  private static final int TASKS_PER_HOLD = 200;
  private static final int PLAIN = 100;
  private static final int WORKER_THREADS = 16;
  private static final int PREFETCH = 400;

  /** As many threads as the others have, but of workers that each wait for work. */
  private static final int WAITING = 16;

  private final FlowBed bed;
  private final String name;
  private final String type;
  private final boolean busy;
  private int workers = 1;

  private FlowSystem(FlowBed bed, TaskTypeSettings type, boolean busy) {
    this(bed, "flowsvr + SDK", type, busy);
  }

  private FlowSystem(FlowBed bed, String name, TaskTypeSettings type, boolean busy) {
    this.bed = bed;
    this.name = name;
    this.type = type.taskType();
    this.busy = busy;
    bed.addType(type);
  }

  /** With a worker that is set up for many short tasks. */
  public static FlowSystem busy(FlowBed bed, String type) {
    return new FlowSystem(bed, Workload.type(type, TASKS_PER_HOLD), true);
  }

  /** A server that goes by a name of its own, with a worker for many short tasks or a plain one. */
  public static FlowSystem of(FlowBed bed, String name, String type, boolean busy) {
    return new FlowSystem(bed, name, Workload.type(type, busy ? TASKS_PER_HOLD : PLAIN), busy);
  }

  /** The same, with so many events written: 0 none, 1 ends, 2 all. */
  public static FlowSystem withEvents(TestBed bed, String type, int events) {
    TaskTypeSettings settings = Workload.type(type, TASKS_PER_HOLD).withEvents(events);
    return new FlowSystem(bed, "events " + events, settings, true);
  }

  /** The same, with tables that are followed by others, and dropped. */
  public static FlowSystem rolling(TestBed bed, String type, long rollThreshold) {
    return new FlowSystem(bed, Workload.rollingType(type, TASKS_PER_HOLD, rollThreshold), true);
  }

  /** With a worker as it comes. */
  public static FlowSystem plain(TestBed bed, String type) {
    return new FlowSystem(bed, Workload.type(type, PLAIN), false);
  }

  /** The same with workers of one thread each, most of which wait. */
  public FlowSystem withWaitingWorkers() {
    workers = WAITING;
    return this;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String conditions() {
    return busy
        ? "REST; one worker, "
            + WORKER_THREADS
            + " threads, prefetch "
            + PREFETCH
            + ", schedule_limit "
            + TASKS_PER_HOLD
        : workers > 1
            ? "REST; " + workers + " workers of one thread"
            : "REST; one worker with the SDK's defaults";
  }

  @Override
  public int bulk() {
    return BULK;
  }

  String type() {
    return type;
  }

  @Override
  public Creator creator() {
    return new Creator() {
      @Override
      public void createOne(int number) {
        bed.flow().createTask(Workload.task(type, number));
      }

      @Override
      public void createMany(int from, int to) {
        bed.flow().createTasks(Workload.tasks(type, from, to));
      }
    };
  }

  @Override
  public Runner run(IntConsumer started) {
    List<Worker> all = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      all.add(start(started));
    }
    return () -> all.forEach(Worker::close);
  }

  private Worker start(IntConsumer started) {
    Worker.Builder builder = Worker.builder().url(bed.url().toString());
    if (busy) {
      builder.threads(WORKER_THREADS).prefetch(PREFETCH);
    } else if (workers > 1) {
      builder.threads(1);
    }
    Worker worker =
        builder
            .handler(
                type,
                Workload.STAGE,
                context -> {
                  started.accept(Workload.numberOf(context.rawContext()));
                  return StageResult.done();
                })
            .build();
    worker.start();
    return worker;
  }

  @Override
  public int unfinished() throws SQLException {
    try (Connection connection = bed.connect()) {
      return bed.count(connection, type, 1) + bed.count(connection, type, 2);
    }
  }
}
