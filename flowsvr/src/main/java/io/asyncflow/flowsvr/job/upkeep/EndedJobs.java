package io.asyncflow.flowsvr.job.upkeep;

import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.pulse.count.Durations.ByObjective;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Jobs of a type that have ended: how many in which state, and how long those took that succeeded
 * or failed. Not thread-safe.
 */
final class EndedJobs {

  private final Map<JobState, Long> states = new EnumMap<>(JobState.class);
  private final ByObjective lives = new ByObjective();

  /** None. */
  EndedJobs() {
    Stream.of(JobState.values()).filter(JobState::isFinal).forEach(state -> states.put(state, 0L));
  }

  /**
   * @param objective the first that they met, of {@link
   *     io.asyncflow.flowsvr.pulse.count.Objectives}
   * @param ms from their creation to their end, the sum
   */
  void add(JobState state, int objective, long jobs, long ms) {
    states.merge(state, jobs, Long::sum);
    if (state != JobState.CANCELLED) {
      lives.add(objective, jobs, ms);
    }
  }

  EndedJobs plus(EndedJobs others) {
    EndedJobs sum = new EndedJobs();
    sum.addAll(this);
    sum.addAll(others);
    return sum;
  }

  void addAll(EndedJobs others) {
    others.states.forEach((state, jobs) -> states.merge(state, jobs, Long::sum));
    lives.addAll(others.lives);
  }

  /** The number in each final state. */
  Map<JobState, Long> states() {
    return states;
  }

  /** From the creation of a job to its success or failure. */
  ByObjective lives() {
    return lives;
  }
}
