package io.asyncflow.bench.flow;

import io.asyncflow.bench.bed.Family;
import io.asyncflow.bench.bed.ServerStatus;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.measure.SoakRun;
import io.asyncflow.bench.measure.SoakSample;
import io.asyncflow.bench.resource.ProcessLook;
import io.asyncflow.bench.system.FlowSystem;
import io.asyncflow.bench.system.Loops;
import io.asyncflow.bench.system.TaskSystem;
import io.asyncflow.bench.work.Creation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whole lives at an even pace, for long: what is created is run, tables fill and are dropped when
 * they are empty and a day has passed, which happens with every look at what might grow. Before
 * that it is measured how many lives a second are possible.
 */
public final class Soak implements Contender<SoakRun> {

  /** In a run that is not too short to take them. */
  private static final int SAMPLES = 10;

  private static final int FEWEST_SAMPLES = 3;
  private static final int SECONDS_A_SAMPLE_AT_MOST = 30;
  private static final int CREATORS = 2;
  private static final int PIECE = 50;
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final TestBed bed;
  private final FlowSystem flow;
  private final Family family;
  private final int trial;
  private final double load;
  private final AtomicLong created = new AtomicLong();
  private final AtomicLong started = new AtomicLong();

  /**
   * @param trial tasks that capacity is measured with
   * @param load part of the capacity
   */
  public Soak(TestBed bed, String type, int trial, double load) {
    this.bed = bed;
    this.flow = FlowSystem.rolling(bed, type, Math.max(50, trial / 2));
    this.family = new Family(bed, type);
    this.trial = trial;
    this.load = load;
  }

  @Override
  public String name() {
    return flow.name() + ", soaked";
  }

  @Override
  public String conditions() {
    return flow.conditions() + "; a full collection before each look";
  }

  @Override
  public SoakRun run(int seconds) throws Exception {
    try (TaskSystem.Runner worker = flow.run(number -> started.incrementAndGet())) {
      perSecond(worker); // all is cold
      double capacity = perSecond(worker);
      double wanted = load * capacity;
      List<SoakSample> samples;
      created.set(0);
      started.set(0);
      try (Loops creators = new Loops()) {
        long nanosAPiece = (long) (1e9 * CREATORS * PIECE / wanted);
        creators.start(CREATORS, () -> new Pace(nanosAPiece));
        samples = sample(seconds, creators, worker);
      }
      awaitDone(worker);
      family.await("begin = end", position -> position.begin() == position.end());
      return new SoakRun(capacity, wanted, samples);
    }
  }

  /** Lives a second, as fast as can be. */
  private double perSecond(TaskSystem.Runner worker) throws Exception {
    long begin = System.nanoTime();
    long before = started.get();
    Creation.inBulk(flow, 0, trial, CREATORS);
    created.addAndGet(trial);
    awaitDone(worker);
    return (started.get() - before) * 1e9 / (System.nanoTime() - begin);
  }

  private void awaitDone(TaskSystem.Runner worker) throws Exception {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (started.get() < created.get()) {
      worker.check();
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            started.get() + " of " + created.get() + " tasks were started");
      }
      Thread.sleep(2);
    }
  }

  private List<SoakSample> sample(int seconds, Loops creators, TaskSystem.Runner worker)
      throws Exception {
    List<SoakSample> samples = new ArrayList<>();
    long begin = System.nanoTime();
    long end = begin + TimeUnit.SECONDS.toNanos(seconds);
    double pause = Math.min(SECONDS_A_SAMPLE_AT_MOST, (double) seconds / SAMPLES);
    while (System.nanoTime() < end || samples.size() < FEWEST_SAMPLES) {
      TimeUnit.MILLISECONDS.sleep((long) (1000 * pause));
      creators.check();
      worker.check();
      family.letADayPass();
      samples.add(look((System.nanoTime() - begin) / 1e9));
    }
    return samples;
  }

  private SoakSample look(double seconds) throws Exception {
    Family.Position position = family.position();
    return new SoakSample(
        seconds,
        started.get(),
        ProcessLook.at(bed.serverPid()),
        ProcessLook.at(ProcessHandle.current().pid()),
        position.end() - position.first() + 1,
        position.end() - 1,
        status("Threads_connected"),
        status("Open_tables"));
  }

  private int status(String name) throws SQLException {
    try (Connection connection = bed.connect()) {
      return Math.toIntExact(ServerStatus.of(connection, name));
    }
  }

  /** Creates so many tasks in each span of time; what it could not in one is not made up for. */
  private final class Pace implements Loops.Step {

    private final TaskSystem.Creator creator = flow.creator();
    private final long nanosAPiece;
    private long due = System.nanoTime();

    Pace(long nanosAPiece) {
      this.nanosAPiece = nanosAPiece;
    }

    @Override
    public void act() throws Exception {
      creator.createMany(0, PIECE);
      created.addAndGet(PIECE);
      due = Math.max(due + nanosAPiece, System.nanoTime() - nanosAPiece);
      TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
    }

    @Override
    public void close() throws Exception {
      creator.close();
    }
  }
}
