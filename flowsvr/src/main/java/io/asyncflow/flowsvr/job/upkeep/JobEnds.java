package io.asyncflow.flowsvr.job.upkeep;

import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.job.upkeep.JobStateStore.Ends;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts jobs that end, by type, state and duration. A statement that changes a job computes the
 * state itself, so the ended jobs are read, from the first read of this server in a term on: what
 * ends between the last read of one leader and the first of the next one is not counted. The totals
 * stay, since a counter never falls. Thread-safe.
 */
final class JobEnds {

  /** The longest time that one read is of. */
  static final long MOST_MS = Duration.ofMinutes(10).toMillis();

  private final JobStateStore store;
  private final Map<String, EndedJobs> totals = new TreeMap<>();
  private long term;
  private Long until;

  /** The longest time that the next read is of: as much as the database reads in its time. */
  private long most = MOST_MS;

  JobEnds(JobStateStore store) {
    this.store = store;
  }

  /**
   * The totals by type, of each that there are jobs of. Those of a new type begin at zero, whatever
   * ended already, so that its first failure is a rise.
   *
   * @param term of this leader: in another one, others may have counted what ended since the last
   *     read
   * @throws FlowException if it is refused; the next read is of half the time
   */
  synchronized Map<String, EndedJobs> read(long term) {
    Long after = term == this.term ? until : null;
    Ends ends = endedAfter(after);
    this.term = term;
    until = after == null ? ends.until() : Long.valueOf(Math.max(after, ends.until()));
    Map<String, EndedJobs> shown = new TreeMap<>(totals);
    ends.byType()
        .forEach(
            (type, ended) -> {
              EndedJobs before = totals.get(type);
              EndedJobs total = before == null ? ended : before.plus(ended);
              totals.put(type, total);
              shown.put(type, before == null ? new EndedJobs() : total);
            });
    return shown;
  }

  private Ends endedAfter(Long after) {
    try {
      Ends ends = store.endedAfter(after, most);
      most = Math.min(MOST_MS, 2 * most);
      return ends;
    } catch (FlowException e) {
      most = Math.max(1, most / 2);
      throw e;
    }
  }
}
