package io.asyncflow.flowsvr.hook.core;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@code t_hook}. Every method is one statement in the caller's transaction, if there is one.
 * Thread-safe.
 */
@Component
public class HookStore {

  private static final String SELECT =
      sql(
          """
          SELECT id, name, url, task_types, kinds, state, secret, old_secret, old_secret_end, cursor_, fail_since,
            last_error, create_time, modify_time, now_ms AS db_now
          FROM t_hook
          """);

  private final JdbcClient jdbc;

  HookStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * What a caller gives.
   *
   * @param name unique
   */
  public record Definition(
      String name, String url, Set<String> taskTypes, Set<String> kinds, StoredHookState state) {}

  /** All hooks, also deleted ones whose row remains, by id. */
  public List<HookRow> all() {
    return jdbc.sql(SELECT + "ORDER BY id").query((rs, row) -> read(rs)).list();
  }

  /** A hook that is not deleted. */
  public Optional<HookRow> find(long id) {
    return jdbc.sql(SELECT + "WHERE id = ? AND name IS NOT NULL")
        .param(id)
        .query((rs, row) -> read(rs))
        .optional();
  }

  public Optional<HookRow> find(String name) {
    return jdbc.sql(SELECT + "WHERE name = ?").param(name).query((rs, row) -> read(rs)).optional();
  }

  /** Locks the row and returns it. */
  public Optional<HookRow> lock(long id) {
    return jdbc.sql(SELECT + "WHERE id = ? FOR UPDATE")
        .param(id)
        .query((rs, row) -> read(rs))
        .optional();
  }

  /** The number of hooks that are not deleted. */
  public int count() {
    return jdbc.sql("SELECT COUNT(*) FROM t_hook WHERE name IS NOT NULL")
        .query(Integer.class)
        .single();
  }

  /**
   * Adds a hook.
   *
   * @param cursor the event after which it begins
   * @throws org.springframework.dao.DuplicateKeyException if there is one of this name
   */
  public void insert(long id, Definition hook, HookSecret secret, long cursor) {
    jdbc.sql(
            sql(
                """
                INSERT INTO t_hook (id, name, url, task_types, kinds, state, secret, cursor_, create_time, modify_time)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, now_ms, now_ms)
                """))
        .params(
            id,
            hook.name(),
            hook.url(),
            joined(hook.taskTypes()),
            joined(hook.kinds()),
            hook.state().code(),
            secret.text(),
            cursor)
        .update();
  }

  /**
   * Changes a hook; one that becomes active begins a new count of days with nothing but failures.
   */
  public void update(long id, Definition hook) {
    jdbc.sql(
            sql(
                """
                UPDATE t_hook
                SET url = ?,
                  task_types = ?,
                  kinds = ?,
                  fail_since = IF(state = ?, fail_since, NULL),
                  state = ?,
                  modify_time = now_ms
                WHERE id = ?
                """))
        .params(
            hook.url(),
            joined(hook.taskTypes()),
            joined(hook.kinds()),
            hook.state().code(),
            hook.state().code(),
            id)
        .update();
  }

  /** Gives the hook a new secret; the one before signs beside it for a while. */
  public void rotate(long id, HookSecret secret, Duration overlap) {
    jdbc.sql(
            sql(
                """
                UPDATE t_hook
                SET old_secret = secret,
                  old_secret_end = now_ms + ?,
                  secret = ?,
                  modify_time = now_ms
                WHERE id = ?
                """))
        .params(overlap.toMillis(), secret.text(), id)
        .update();
  }

  /** Marks the hook as deleted, and forgets what it was. */
  public void markDeleted(long id) {
    jdbc.sql(
            sql(
                """
                UPDATE t_hook
                SET name = NULL,
                  state = ?,
                  url = '',
                  secret = '',
                  old_secret = '',
                  modify_time = now_ms
                WHERE id = ?
                """))
        .params(StoredHookState.DELETED.code(), id)
        .update();
  }

  /** Deletes the row of a deleted hook. */
  public void remove(long id) {
    jdbc.sql("DELETE FROM t_hook WHERE id = ? AND state = ?")
        .params(id, StoredHookState.DELETED.code())
        .update();
  }

  /**
   * Moves the cursor of an active hook, unless it is not where it was seen; returns whether it
   * moved. A delete of the hook waits for the caller's transaction. So all deliveries are there
   * before the hook is deleted, and no delivery is created afterwards.
   */
  public boolean moveCursor(long id, long from, long to) {
    return jdbc.sql(
                """
                UPDATE t_hook
                SET cursor_ = ?
                WHERE id = ?
                  AND cursor_ = ?
                  AND state = ?
                """)
            .params(to, id, from, StoredHookState.ACTIVE.code())
            .update()
        == 1;
  }

  /** A delivery succeeded. Locks the row only after a failure. */
  public void succeeded(long id) {
    boolean hasFailed =
        jdbc.sql("SELECT 1 FROM t_hook WHERE id = ? AND fail_since IS NOT NULL")
            .param(id)
            .query(Integer.class)
            .optional()
            .isPresent();
    if (hasFailed) {
      jdbc.sql("UPDATE t_hook SET fail_since = NULL WHERE id = ?").param(id).update();
    }
  }

  /** A delivery failed. */
  public void failed(long id, String error) {
    jdbc.sql(
            sql(
                """
                UPDATE t_hook
                SET fail_since = COALESCE(fail_since, now_ms),
                  last_error = ?
                WHERE id = ?
                """))
        .params(error, id)
        .update();
  }

  /** Disables an active hook; returns whether it was one. */
  public boolean disable(long id) {
    return jdbc.sql("UPDATE t_hook SET state = ? WHERE id = ? AND state = ?")
            .params(StoredHookState.DISABLED.code(), id, StoredHookState.ACTIVE.code())
            .update()
        == 1;
  }

  private static HookRow read(ResultSet rs) throws SQLException {
    String old = rs.getString("old_secret");
    long failSince = rs.getLong("fail_since");
    boolean isFailing = !rs.wasNull();
    return new HookRow(
        rs.getLong("id"),
        rs.getString("name"),
        rs.getString("url"),
        split(rs.getString("task_types")),
        split(rs.getString("kinds")),
        StoredHookState.of(rs.getInt("state")),
        new HookSecret(rs.getString("secret")),
        old.isEmpty() ? null : new HookSecret(old),
        rs.getLong("old_secret_end"),
        rs.getLong("cursor_"),
        isFailing ? failSince : null,
        rs.getString("last_error"),
        rs.getLong("create_time"),
        rs.getLong("modify_time"),
        rs.getLong("db_now"));
  }

  private static String joined(Collection<String> names) {
    return String.join(",", names);
  }

  private static Set<String> split(String names) {
    return names.isEmpty() ? Set.of() : new LinkedHashSet<>(List.of(names.split(",")));
  }
}
