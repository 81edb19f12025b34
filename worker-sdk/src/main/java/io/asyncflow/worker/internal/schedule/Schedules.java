package io.asyncflow.worker.internal.schedule;

import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.worker.InvalidStageException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The schedules of a worker, by their names. Not thread-safe. */
public final class Schedules {

  /** The most in one save. */
  private static final int MOST = 1_000;

  private static final int LONGEST_NAME = 128;

  private final Map<String, NewSchedule> byName = new LinkedHashMap<>();

  /**
   * Adds a schedule.
   *
   * @throws InvalidStageException if it has no plan or creates nothing, or if another one has its
   *     name
   */
  public void add(NewSchedule schedule) {
    String name = schedule.name();
    requireName(name, "a schedule");
    long plans =
        Stream.of(schedule.cron(), schedule.everyMs(), schedule.afterMs())
            .filter(plan -> plan != null)
            .count();
    if (plans != 1) {
      throw new InvalidStageException(
          "schedule " + name + " has " + plans + " plans", "set one of cron, everyMs and afterMs");
    }
    if ((schedule.taskData() == null) == (schedule.jobData() == null)) {
      throw new InvalidStageException(
          "schedule " + name + " creates nothing, or two things",
          "name one task or one job with creating(…)");
    }
    if (byName.putIfAbsent(name, schedule) != null) {
      throw new InvalidStageException(
          "two schedules have the name " + name, "give each a name of its own");
    }
    if (byName.size() > MOST) {
      throw new InvalidStageException(
          "a worker saves at most 1,000 schedules", "save the others with FlowClient.schedules()");
    }
  }

  public void addAll(Collection<NewSchedule> schedules) {
    schedules.forEach(this::add);
  }

  /** In the order in which they were added. */
  public List<NewSchedule> all() {
    return List.copyOf(byName.values());
  }

  /**
   * Checks the length of a name; flowsvr checks the rest.
   *
   * @param owner what has the name, for the message
   */
  static void requireName(String name, String owner) {
    if (name == null || name.isBlank() || name.codePointCount(0, name.length()) > LONGEST_NAME) {
      throw new InvalidStageException(
          owner + " has the name '" + name + "'", "take 1 to 128 characters");
    }
  }
}
