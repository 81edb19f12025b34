package io.asyncflow.flowsvr.edge.access.key;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.api.key.DeniedCaller;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.Retention;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.AccessKeyRow.End;
import io.asyncflow.rules.access.AccessKeyRow.Limits;
import io.asyncflow.rules.access.AccessKeyRow.Rights;
import io.asyncflow.rules.access.KeySeals;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * {@code t_access_key}, {@code t_access_denied} and {@code t_access_version}. Every method but
 * {@link #markUsed} is one statement in the caller's transaction, if there is one. Thread-safe.
 */
@Component
public class AccessKeyStore {

  private static final String SELECT =
      """
      SELECT key_id, name, key_hash, seal, roles, types, stages, users, worker_prefix, created_by,
        create_time, expire_time, revoke_time, revoke_reason, replaced_by, cert_san, rate_limit,
        not_before, last_used_time
      FROM t_access_key
      """;

  static final Duration KEPT = Duration.ofDays(365);

  private final JdbcTemplate jdbc;
  private final KeySeals seals;

  AccessKeyStore(JdbcTemplate jdbc, KeySeals seals) {
    this.jdbc = jdbc;
    this.seals = seals;
  }

  @Bean
  static KeySeals keySeals(@Value("${flow.access.pepper:}") String pepper) {
    try {
      return KeySeals.of(pepper);
    } catch (IllegalArgumentException e) {
      throw new BadSettingException("FLOW_KEY_PEPPER must be " + e.getMessage() + ".");
    }
  }

  /**
   * A row with its seal, as it was read.
   *
   * @param lastUsed epoch ms; {@code null} if never
   */
  public record Stored(AccessKeyRow row, byte[] seal, Long lastUsed) {

    /** Whether the row counts: a server has written it. */
    public boolean isGood(KeySeals seals) {
      return seals.isGood(row.columns(), seal);
    }
  }

  /**
   * A state of all keys.
   *
   * @param now the database's clock, epoch ms
   */
  public record Version(long number, long now) {}

  /** The state that the keys are in. */
  public Version version() {
    return jdbc.queryForObject(
        sql("SELECT version, now_ms AS db_now FROM t_access_version WHERE one = 1"),
        (rs, row) -> new Version(rs.getLong("version"), rs.getLong("db_now")));
  }

  /**
   * Begins a change: the other changes wait until the transaction ends, and then servers read the
   * keys again.
   *
   * @return the database's clock, epoch ms
   */
  public long beginChange() {
    jdbc.update("UPDATE t_access_version SET version = version + 1 WHERE one = 1");
    return version().now();
  }

  /**
   * The rows of keys that have not ended, or only since then.
   *
   * @param since epoch ms
   */
  public List<Stored> notEndedBefore(long since) {
    return jdbc.query(
        SELECT + "WHERE LEAST(expire_time, COALESCE(revoke_time, expire_time)) >= ?",
        (rs, row) -> read(rs),
        since);
  }

  /**
   * So many rows after a place, newest first, and by id if they are equally old.
   *
   * @param createTime epoch ms
   */
  public List<Stored> newestAfter(long createTime, String id, int limit) {
    return jdbc.query(
        SELECT
            + """
            WHERE create_time <= ?
              AND (create_time < ? OR key_id > ?)
            ORDER BY create_time DESC, key_id
            LIMIT ?
            """,
        (rs, row) -> read(rs),
        createTime,
        createTime,
        id,
        limit);
  }

  /**
   * Deletes keys that ended a year ago, and denials that were over then. No server has known them
   * for long, so this is no change of keys.
   */
  @Bean
  Duty endedKeyRetentionDuty(Retention retention) {
    return retention.of(
        "access-key",
        most -> deleteEndedBefore(version().now() - KEPT.toMillis(), most),
        most -> deleteDenialsBefore(version().now() - KEPT.toMillis(), most));
  }

  /**
   * Deletes up to so many keys that ended before, each by its id: a search locks none of the
   * others.
   *
   * @param before epoch ms
   */
  int deleteEndedBefore(long before, int limit) {
    return jdbc
        .queryForList(
            """
            SELECT key_id
            FROM t_access_key
            WHERE LEAST(expire_time, COALESCE(revoke_time, expire_time)) < ?
            LIMIT ?
            """,
            String.class,
            before,
            limit)
        .stream()
        .mapToInt(id -> jdbc.update("DELETE FROM t_access_key WHERE key_id = ?", id))
        .sum();
  }

  /**
   * Deletes up to so many denials that are over since then.
   *
   * @param before epoch ms
   */
  int deleteDenialsBefore(long before, int limit) {
    return jdbc.update("DELETE FROM t_access_denied WHERE until_time < ? LIMIT ?", before, limit);
  }

  /** All rows. */
  public List<Stored> all() {
    return notEndedBefore(0);
  }

  /** The row with this id. */
  public Optional<Stored> find(String id) {
    return jdbc.query(SELECT + "WHERE key_id = ?", (rs, row) -> read(rs), id).stream().findFirst();
  }

  /**
   * The callers that are refused although their tokens are good, by their names.
   *
   * @param after the name before the first one
   */
  public List<DeniedCaller> denied(String after, int limit) {
    return jdbc.query(
        sql(
            """
            SELECT principal, until_time
            FROM t_access_denied
            WHERE principal > ?
              AND until_time > now_ms
            ORDER BY principal
            LIMIT ?
            """),
        (rs, row) -> new DeniedCaller(rs.getString("principal"), rs.getLong("until_time")),
        after,
        limit);
  }

  /** Refuses a caller until then, epoch ms. */
  public void deny(String principal, long until) {
    jdbc.update(
        """
        INSERT INTO t_access_denied (principal, until_time)
        VALUES (?, ?)
        ON DUPLICATE KEY UPDATE until_time = ?
        """,
        principal,
        until,
        until);
  }

  /**
   * Lets a caller in again.
   *
   * @return whether it was denied
   */
  public boolean allow(String principal) {
    return jdbc.update(
            sql(
                """
                UPDATE t_access_denied
                SET until_time = now_ms
                WHERE principal = ?
                  AND until_time > now_ms
                """),
            principal)
        == 1;
  }

  /** Adds a key. */
  public void insert(AccessKeyRow row) {
    List<Object> values = new ArrayList<>(row.columns());
    values.add(seals.seal(row.columns()));
    jdbc.update(
        """
        INSERT INTO t_access_key (key_id, name, key_hash, roles, types, stages, users,
          worker_prefix, created_by, create_time, expire_time, revoke_time, revoke_reason,
          replaced_by, cert_san, rate_limit, not_before, seal)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        new StatementValues(values));
  }

  /** Writes what may change of a key: its end, and its seal. */
  public void update(AccessKeyRow row) {
    End end = row.end();
    jdbc.update(
        """
        UPDATE t_access_key
        SET seal = ?,
          expire_time = ?,
          revoke_time = ?,
          revoke_reason = ?,
          replaced_by = ?
        WHERE key_id = ?
        """,
        new StatementValues(
            Arrays.asList(
                seals.seal(row.columns()),
                end.expireTime(),
                end.revokeTime(),
                end.revokeReason(),
                end.replacedBy(),
                row.id())));
  }

  /** Gives a row its seal of now, unless it was changed since it was read. */
  void reseal(Stored read) {
    jdbc.update(
        "UPDATE t_access_key SET seal = ? WHERE key_id = ? AND seal <=> ?",
        seals.seal(read.row().columns()),
        read.row().id(),
        read.seal());
  }

  /**
   * Writes when keys were last used, unless another server knows of a later use.
   *
   * @param times by id, epoch ms
   */
  void markUsed(Map<String, Long> times) {
    jdbc.batchUpdate(
        """
        UPDATE t_access_key
        SET last_used_time = ?
        WHERE key_id = ?
          AND COALESCE(last_used_time, 0) < ?
        """,
        times.entrySet().stream()
            .map(use -> new Object[] {use.getValue(), use.getKey(), use.getValue()})
            .toList());
  }

  private static Stored read(ResultSet rs) throws SQLException {
    return new Stored(
        new AccessKeyRow(
            rs.getString("key_id"),
            rs.getString("name"),
            rs.getBytes("key_hash"),
            new Rights(
                rs.getString("roles"),
                rs.getString("types"),
                rs.getString("stages"),
                rs.getString("users"),
                rs.getString("worker_prefix")),
            new Limits(rs.getString("cert_san"), rs.getInt("rate_limit"), rs.getLong("not_before")),
            rs.getString("created_by"),
            rs.getLong("create_time"),
            new End(
                rs.getLong("expire_time"),
                rs.getObject("revoke_time", Long.class),
                rs.getString("revoke_reason"),
                rs.getString("replaced_by"))),
        rs.getBytes("seal"),
        rs.getObject("last_used_time", Long.class));
  }
}
