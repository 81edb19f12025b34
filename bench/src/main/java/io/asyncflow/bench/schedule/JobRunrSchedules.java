package io.asyncflow.bench.schedule;

import io.asyncflow.bench.system.JobRunrSystem;
import io.asyncflow.bench.system.TaskSystem.Runner;
import java.time.Instant;
import java.util.function.IntConsumer;

/** JobRunr with as many recurring jobs as its documentation admits without a license. */
public final class JobRunrSchedules implements ScheduleSystem {

  private static final int MOST = 100;

  private final JobRunrSystem system;
  private int first;
  private int end;

  /**
   * @param system closed with this
   */
  public JobRunrSchedules(JobRunrSystem system) {
    this.system = system;
  }

  @Override
  public String name() {
    return system.name();
  }

  @Override
  public String conditions() {
    return system.conditions() + "; at most " + MOST + " recurring jobs, its documented limit";
  }

  @Override
  public int share(int schedules) {
    return Math.min(MOST, schedules);
  }

  @Override
  public Runner run(IntConsumer started) {
    return system.run(started);
  }

  /** In place of those of the round before: a job that only gets another time does not run. */
  @Override
  public void save(int from, int to, Instant fireTime) {
    for (int number = first; number < end; number++) {
      system.deleteRecurring(number);
    }
    first = from;
    end = to;
    String cron = ScheduleSystem.cron(fireTime, "*");
    for (int number = from; number < to; number++) {
      system.scheduleRecurrently(cron, number);
    }
  }

  @Override
  public void close() {
    system.close();
  }
}
