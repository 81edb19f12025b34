package io.asyncflow.flowsvr.edge.access.session;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** {@code t_session}. Thread-safe. */
@Component
class SessionStore {

  private static final int MOST_DELETED = 1_000;

  /** In one statement. */
  private static final int MOST_ASKED = 500;

  private final JdbcTemplate jdbc;

  SessionStore(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * A row as it was read.
   *
   * @param seal {@code null} if it has none
   * @param now the database's clock, epoch ms
   */
  record Stored(SessionRow row, byte[] seal, long now) {}

  /**
   * The sessions of a caller.
   *
   * @param live those whose end has not come
   * @param now the database's clock, epoch ms
   */
  record Count(int live, long now) {}

  Optional<Stored> find(byte[] idHash) {
    return jdbc
        .query(
            sql(
                """
                SELECT principal, granted, seal, create_time, expire_time, last_used_time,
                  now_ms AS db_now
                FROM t_session
                WHERE id_hash = ?
                """),
            (rs, row) ->
                new Stored(
                    new SessionRow(
                        idHash,
                        rs.getString("principal"),
                        rs.getString("granted"),
                        rs.getLong("create_time"),
                        rs.getLong("expire_time"),
                        rs.getLong("last_used_time")),
                    rs.getBytes("seal"),
                    rs.getLong("db_now")),
            idHash)
        .stream()
        .findFirst();
  }

  /** Lets other servers begin no session until the transaction ends, and change no key. */
  void lock() {
    jdbc.queryForObject(
        "SELECT version FROM t_access_version WHERE one = 1 FOR UPDATE", Long.class);
  }

  Count count(String principal) {
    return jdbc.queryForObject(
        sql(
            """
            SELECT COUNT(*) AS live, now_ms AS db_now
            FROM t_session
            WHERE principal = ?
              AND expire_time > now_ms
            """),
        (rs, row) -> new Count(rs.getInt("live"), rs.getLong("db_now")),
        principal);
  }

  /**
   * Those of some sessions that have not ended.
   *
   * @param names as {@link OpenSession#name} makes them
   */
  Set<String> live(Collection<String> names) {
    Set<String> live = new HashSet<>();
    List<byte[]> hashes = names.stream().map(HexFormat.of()::parseHex).toList();
    for (List<byte[]> page : StatementGroups.of(hashes, MOST_ASKED)) {
      live.addAll(
          jdbc.query(
              sql(
                  """
                  SELECT id_hash
                  FROM t_session
                  WHERE id_hash IN (%s)
                    AND expire_time > now_ms
                    AND last_used_time > now_ms - %s
                  """
                      .formatted(
                          String.join(", ", Collections.nCopies(page.size(), "?")),
                          SessionRow.LONGEST_IDLE.toMillis())),
              (rs, row) -> HexFormat.of().formatHex(rs.getBytes("id_hash")),
              page.toArray()));
    }
    return live;
  }

  void insert(SessionRow row, byte[] seal) {
    jdbc.update(
        """
        INSERT INTO t_session
          (id_hash, principal, granted, seal, create_time, expire_time, last_used_time)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        new StatementValues(
            Arrays.asList(
                row.idHash(),
                row.principal(),
                row.granted(),
                seal,
                row.createTime(),
                row.expireTime(),
                row.lastUsedTime())));
  }

  /** Writes the last use, unless another server knows of a later one. */
  void markUsed(byte[] idHash, long time) {
    jdbc.update(
        "UPDATE t_session SET last_used_time = ? WHERE id_hash = ? AND last_used_time < ?",
        time,
        idHash,
        time);
  }

  /** Returns whether there was one. */
  boolean delete(byte[] idHash) {
    return jdbc.update("DELETE FROM t_session WHERE id_hash = ?", new Object[] {idHash}) == 1;
  }

  void deleteAllOf(String principal) {
    jdbc.update("DELETE FROM t_session WHERE principal = ?", principal);
  }

  /** Deletes sessions whose end has passed, of all callers. */
  void deleteEnded() {
    jdbc.update(sql("DELETE FROM t_session WHERE expire_time <= now_ms LIMIT " + MOST_DELETED));
  }
}
