package io.asyncflow.flowsvr.job.upkeep;

import io.asyncflow.api.JobState;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Counts jobs that end, by type and state. A statement that changes a job computes the state
 * itself, so the ended jobs are read, from the first read of this server in a term on: what ends
 * between the last read of one leader and the first of the next one is not counted. The totals
 * stay, since a counter never falls. Thread-safe.
 */
final class JobEnds {

  private final JobStateStore store;
  private final Map<String, Map<JobState, Long>> totals = new TreeMap<>();
  private long term;
  private Long until;

  JobEnds(JobStateStore store) {
    this.store = store;
  }

  /**
   * The totals by type, with a 0 where no job has ended in a state.
   *
   * @param term of this leader: in another one, others may have counted what ended since the last
   *     read
   */
  synchronized Map<String, Map<JobState, Long>> read(long term) {
    Long after = term == this.term ? until : null;
    JobStateStore.Ends ends = store.endedAfter(after);
    this.term = term;
    until = after == null ? ends.until() : Long.valueOf(Math.max(after, ends.until()));
    ends.byType()
        .forEach(
            (type, ofType) -> {
              Map<JobState, Long> total = totals.computeIfAbsent(type, none -> zeros());
              ofType.forEach((state, jobs) -> total.merge(state, jobs, Long::sum));
            });
    Map<String, Map<JobState, Long>> copy = new TreeMap<>();
    totals.forEach((type, total) -> copy.put(type, new EnumMap<>(total)));
    return copy;
  }

  private static Map<JobState, Long> zeros() {
    Map<JobState, Long> zeros = new EnumMap<>(JobState.class);
    Stream.of(JobState.values()).filter(JobState::isFinal).forEach(state -> zeros.put(state, 0L));
    return zeros;
  }
}
