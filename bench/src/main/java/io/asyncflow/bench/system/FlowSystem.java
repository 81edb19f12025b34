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
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Ourselves: flowsvr over REST, and workers of the SDK. */
public final class FlowSystem implements TaskSystem {

  private static final int BULK = 500;
  private static final int TASKS_PER_HOLD = 200;
  private static final int PLAIN = 100;

  /** The workers of a system. */
  public enum Fleet {
    /** As it comes. */
    PLAIN(1, "one worker with the SDK's defaults", worker -> {}),
    /** Set up for many short tasks. */
    BUSY(
        1,
        "one worker, 16 threads, prefetch 400, schedule_limit " + TASKS_PER_HOLD,
        worker -> worker.threads(16).prefetch(400)),
    /** As many threads as the others have, but of workers that each wait for work. */
    WAITING(16, "16 workers of one thread", worker -> worker.threads(1));

    private final int workers;
    private final String conditions;
    private final Consumer<Worker.Builder> setUp;

    Fleet(int workers, String conditions, Consumer<Worker.Builder> setUp) {
      this.workers = workers;
      this.conditions = conditions;
      this.setUp = setUp;
    }
  }

  private final FlowBed bed;
  private final String name;
  private final String type;
  private final Fleet fleet;

  private FlowSystem(FlowBed bed, TaskTypeSettings type, Fleet fleet) {
    this(bed, "flowsvr + SDK", type, fleet);
  }

  private FlowSystem(FlowBed bed, String name, TaskTypeSettings type, Fleet fleet) {
    this.bed = bed;
    this.name = name;
    this.type = type.taskType();
    this.fleet = fleet;
    bed.addType(type);
  }

  public static FlowSystem of(FlowBed bed, String type, Fleet fleet) {
    return new FlowSystem(bed, settings(type, fleet), fleet);
  }

  /** A server that goes by a name of its own. */
  public static FlowSystem of(FlowBed bed, String name, String type, Fleet fleet) {
    return new FlowSystem(bed, name, settings(type, fleet), fleet);
  }

  private static TaskTypeSettings settings(String type, Fleet fleet) {
    return Workload.type(type, fleet == Fleet.BUSY ? TASKS_PER_HOLD : PLAIN);
  }

  /** A busy one with so many events written: 0 none, 1 ends, 2 all. */
  public static FlowSystem withEvents(TestBed bed, String type, int events) {
    TaskTypeSettings settings = settings(type, Fleet.BUSY).withEvents(events);
    return new FlowSystem(bed, "events " + events, settings, Fleet.BUSY);
  }

  /** A busy one with tables that are followed by others, and dropped. */
  public static FlowSystem rolling(TestBed bed, String type, long rollThreshold) {
    return new FlowSystem(
        bed, Workload.rollingType(type, TASKS_PER_HOLD, rollThreshold), Fleet.BUSY);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String conditions() {
    return "REST; " + fleet.conditions;
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
    for (int i = 0; i < fleet.workers; i++) {
      all.add(start(started));
    }
    return () -> all.forEach(Worker::close);
  }

  private Worker start(IntConsumer started) {
    Worker.Builder builder = Worker.builder().url(bed.url().toString());
    fleet.setUp.accept(builder);
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
