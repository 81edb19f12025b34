package io.asyncflow.flowsvr.job.upkeep;

import java.util.Map;
import java.util.TreeMap;

/**
 * Counts jobs that end, by type, state and duration. A statement that changes a job computes the
 * state itself, so the ended jobs are read, from the first read of this server in a term on: what
 * ends between the last read of one leader and the first of the next one is not counted. The totals
 * stay, since a counter never falls. Thread-safe.
 */
final class JobEnds {

  private final JobStateStore store;
  private final Map<String, EndedJobs> totals = new TreeMap<>();
  private long term;
  private Long until;

  JobEnds(JobStateStore store) {
    this.store = store;
  }

  /**
   * The totals by type, of each that there are jobs of.
   *
   * @param term of this leader: in another one, others may have counted what ended since the last
   *     read
   */
  synchronized Map<String, EndedJobs> read(long term) {
    Long after = term == this.term ? until : null;
    JobStateStore.Ends ends = store.endedAfter(after);
    this.term = term;
    until = after == null ? ends.until() : Long.valueOf(Math.max(after, ends.until()));
    ends.byType()
        .forEach(
            (type, ended) -> totals.computeIfAbsent(type, none -> new EndedJobs()).addAll(ended));
    Map<String, EndedJobs> copy = new TreeMap<>();
    totals.forEach(
        (type, total) -> copy.computeIfAbsent(type, none -> new EndedJobs()).addAll(total));
    return copy;
  }
}
