package io.asyncflow.flowsvr.edge.access.session;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * A row of {@code t_session} without its seal. Immutable: the hash is not to be changed.
 *
 * @param principal the caller that logged in
 * @param granted JSON of what its token granted; {@code null} where its key says it
 * @param createTime epoch ms, as are the other times
 * @param lastUsedTime at most {@link #WRITE_PAUSE} too early
 */
record SessionRow(
    byte[] idHash,
    String principal,
    String granted,
    long createTime,
    long expireTime,
    long lastUsedTime) {

  static final Duration LONGEST = Duration.ofHours(8);
  static final Duration LONGEST_IDLE = Duration.ofMinutes(30);
  static final Duration WRITE_PAUSE = Duration.ofMinutes(1);

  /**
   * @param latestEnd epoch ms, when it ends at the latest
   */
  static SessionRow begin(
      SessionId id, String principal, String granted, long now, long latestEnd) {
    long end = Math.min(now + LONGEST.toMillis(), latestEnd);
    return new SessionRow(id.hash(), principal, granted, now, end, now);
  }

  boolean isLive(long now) {
    return now < expireTime && now - lastUsedTime < LONGEST_IDLE.toMillis();
  }

  /** Whether a use at this time is to be written. */
  boolean isToBeMarked(long now) {
    return now - lastUsedTime >= WRITE_PAUSE.toMillis();
  }

  /**
   * What the seal covers. With the id itself, which the database does not have, nobody can try
   * secrets on the seal.
   */
  List<Object> sealed(SessionId id) {
    return Arrays.asList("session", id.text(), principal, granted, createTime, expireTime);
  }

  /** Without the hash. */
  @Override
  public String toString() {
    return "SessionRow[principal=" + principal + "]";
  }
}
