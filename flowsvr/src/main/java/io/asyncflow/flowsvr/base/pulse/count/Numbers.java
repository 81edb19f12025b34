package io.asyncflow.flowsvr.base.pulse.count;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What happened to the tasks of a stage in some time. Not thread-safe. */
public final class Numbers {

  /** The columns of {@code t_metric} with numbers. */
  public static final String COLUMNS = Count.COLUMNS + ", run_hist, wait_hist";

  /** Stands for the stages that a server does not count apart. */
  public static final String OTHER_STAGES = "…";

  private final long[] counts = new long[Count.values().length];
  private final Histogram runs = new Histogram();
  private final Histogram waits = new Histogram();

  /** Adds a row with {@link #COLUMNS}. */
  public void addRow(ResultSet rs) throws SQLException {
    for (Count count : Count.values()) {
      counts[count.ordinal()] += rs.getLong(count.column());
    }
    runs.addBytes(rs.getBytes("run_hist"));
    waits.addBytes(rs.getBytes("wait_hist"));
  }

  public long count(Count count) {
    return counts[count.ordinal()];
  }

  /** The tasks that ended, one way or another. */
  public long finished() {
    return count(Count.SUCCEEDED) + count(Count.FAILED) + count(Count.CANCELLED);
  }

  /** How long runs took. */
  public Histogram runs() {
    return runs;
  }

  /** How long due tasks waited for their holds. */
  public Histogram waits() {
    return waits;
  }

  public void add(Count count, long times) {
    counts[count.ordinal()] += times;
  }

  public void addAll(Numbers other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
    runs.addAll(other.runs);
    waits.addAll(other.waits);
  }

  /** The values of {@link #COLUMNS}. */
  public List<Object> values() {
    List<Object> values = new ArrayList<>(counts.length + 2);
    for (long count : counts) {
      values.add((int) Math.min(Integer.MAX_VALUE, count));
    }
    values.add(runs.toBytes());
    values.add(waits.toBytes());
    return values;
  }
}
