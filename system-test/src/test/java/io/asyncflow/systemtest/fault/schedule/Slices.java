package io.asyncflow.systemtest.fault.schedule;

import io.asyncflow.systemtest.cluster.Cluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** The slices as they stand. */
record Slices(List<Slice> all) {

  private static final int COUNT = 64;
  private static final int FEW = 3;

  /**
   * One slice.
   *
   * @param leaseEnd epoch ms of the database
   * @param isOwned whether its lease runs
   */
  record Slice(int number, String owner, long epoch, long leaseEnd, boolean isOwned, long load) {}

  static Slices read(Cluster cluster) {
    String sql =
        """
        SELECT slice, owner, epoch, lease_end,
               lease_end > CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED), load_
        FROM t_schedule_slice
        ORDER BY slice
        """;
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<Slice> slices = new ArrayList<>();
      while (rows.next()) {
        slices.add(
            new Slice(
                rows.getInt(1),
                rows.getString(2),
                rows.getLong(3),
                rows.getLong(4),
                rows.getBoolean(5),
                rows.getLong(6)));
      }
      return new Slices(slices);
    } catch (SQLException e) {
      throw new IllegalStateException("the slices cannot be read", e);
    }
  }

  /** The servers that own some, dead or not, as long as a lease runs. */
  Set<String> owners() {
    Set<String> owners = new HashSet<>();
    all.stream().filter(Slice::isOwned).forEach(slice -> owners.add(slice.owner()));
    return owners;
  }

  /** Whether each of so many servers owns some: more than it may just have been handed. */
  boolean areSharedBy(int servers) {
    return areOwned()
        && owners().size() == servers
        && owners().stream().allMatch(owner -> numberOf(owner) >= FEW);
  }

  private long numberOf(String owner) {
    return all.stream().filter(slice -> slice.owner().equals(owner)).count();
  }

  /** Whether the lease of each slice runs. */
  boolean areOwned() {
    return all.size() == COUNT && all.stream().allMatch(Slice::isOwned);
  }

  /** Whether the lease of each slice runs, and was renewed or taken since these were read. */
  boolean areOwnedSince(Slices before) {
    return areOwned()
        && IntStream.range(0, COUNT)
            .allMatch(i -> all.get(i).leaseEnd() > before.all.get(i).leaseEnd());
  }

  /** How much of the whole load other servers than these have, 0 to 1. */
  double partOfOthersThan(Set<String> owners) {
    double whole = all.stream().mapToLong(Slices::size).sum();
    return all.stream()
            .filter(slice -> slice.isOwned() && !owners.contains(slice.owner()))
            .mapToLong(Slices::size)
            .sum()
        / whole;
  }

  /** The largest slice, as a part of the whole load. */
  double largest() {
    double whole = all.stream().mapToLong(Slices::size).sum();
    return all.stream().mapToLong(Slices::size).max().orElse(0) / whole;
  }

  /** As servers count it: also an empty slice is one. */
  private static long size(Slice slice) {
    return Math.max(1, slice.load());
  }

  /** What is wrong if these slices were seen before those: an epoch fell, or changed its owner. */
  List<String> contradictions(Slices later) {
    Map<Integer, Slice> before = new HashMap<>();
    all.forEach(slice -> before.put(slice.number(), slice));
    List<String> found = new ArrayList<>();
    for (Slice slice : later.all) {
      Slice was = before.get(slice.number());
      if (slice.epoch() < was.epoch()
          || slice.epoch() == was.epoch() && !slice.owner().equals(was.owner())) {
        found.add(was + " became " + slice);
      }
    }
    return found;
  }
}
