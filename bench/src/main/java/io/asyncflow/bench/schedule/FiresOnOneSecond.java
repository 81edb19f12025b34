package io.asyncflow.bench.schedule;

import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.system.TaskSystem.Runner;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A {@link ScheduleSystem} whose schedules, new ones in each round, all fire on the same second.
 * Handlers run in this JVM, on the clock that the database has, too.
 */
public final class FiresOnOneSecond implements Contender<FireRun> {

  private final ScheduleSystem system;
  private final Duration lead;
  private int nextNumber;

  /**
   * @param lead from the first save to the fire time
   */
  public FiresOnOneSecond(ScheduleSystem system, Duration lead) {
    this.system = system;
    this.lead = lead;
  }

  @Override
  public String name() {
    return system.name();
  }

  @Override
  public String conditions() {
    return system.conditions();
  }

  @Override
  public int share(int schedules) {
    return system.share(schedules);
  }

  @Override
  public FireRun run(int schedules) throws Exception {
    int first = nextNumber;
    nextNumber += schedules;
    FireStarts starts = new FireStarts(first, schedules);
    Instant fireTime;
    try (Runner runner = system.run(starts)) {
      fireTime = Instant.now().plus(lead).truncatedTo(ChronoUnit.SECONDS);
      system.save(first, nextNumber, fireTime);
      if (Instant.now().isAfter(fireTime)) {
        throw new IllegalStateException(
            system.name() + " takes more than " + lead + " to save " + schedules + " schedules");
      }
      starts.await(fireTime, runner);
    }
    return starts.run(fireTime, system.holdable(fireTime));
  }

  @Override
  public void close() throws Exception {
    system.close();
  }
}
