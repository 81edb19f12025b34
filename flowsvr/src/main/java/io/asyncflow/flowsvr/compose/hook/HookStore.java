package io.asyncflow.flowsvr.compose.hook;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.base.duty.Feature;
import io.asyncflow.rules.TaskTable;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
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
class HookStore {

  private static final String SELECT =
      sql(
          """
          SELECT id, name, url, task_types, kinds, state, secret, old_secret, old_secret_end, cursor_, fail_since,
            last_error, create_time, modify_time, now_ms AS db_now
          FROM t_hook
          """);

  /** There are hooks. */
  static final Feature HOOKS = new Feature("t_hook");

  private final JdbcClient jdbc;

  HookStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * What a caller gives.
   *
   * @param name unique
   */
  record Definition(
      String name, String url, Set<String> taskTypes, Set<String> kinds, StoredHookState state) {

    static Definition of(HookRow row) {
      return new Definition(row.name(), row.url(), row.taskTypes(), row.kinds(), row.state());
    }

    /** With this state unless it has one. */
    Definition orState(StoredHookState other) {
      return state == null ? new Definition(name, url, taskTypes, kinds, other) : this;
    }

    /** Without the path and the query of its URL, which often are a secret. */
    Definition shown() {
      URI uri = URI.create(url);
      String host = uri.getScheme() + "://" + uri.getRawAuthority().replaceFirst("^.*@", "");
      return new Definition(name, host, taskTypes, kinds, state);
    }
  }

  /** All hooks, also deleted ones whose row remains, by id. */
  List<HookRow> all() {
    return select("ORDER BY id");
  }

  /** A hook that is not deleted. */
  Optional<HookRow> find(long id) {
    return select("WHERE id = ? AND name IS NOT NULL", id).stream().findFirst();
  }

  Optional<HookRow> find(String name) {
    return select("WHERE name = ?", name).stream().findFirst();
  }

  /** Locks the row and returns it. */
  Optional<HookRow> lock(long id) {
    return select("WHERE id = ? FOR UPDATE", id).stream().findFirst();
  }

  private List<HookRow> select(String which, Object... params) {
    return jdbc.sql(SELECT + which).params(params).query((rs, row) -> read(rs)).list();
  }

  /** The number of hooks that are not deleted. */
  int count() {
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
  void insert(long id, Definition hook, HookSecret secret, long cursor) {
    write(
        """
        INSERT INTO t_hook (id, name, url, task_types, kinds, state, secret, cursor_, create_time, modify_time)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, now_ms, now_ms)
        """,
        id,
        hook.name(),
        hook.url(),
        String.join(",", hook.taskTypes()),
        String.join(",", hook.kinds()),
        hook.state().code(),
        secret.text(),
        cursor);
  }

  /**
   * Changes a hook; one that becomes active begins a new count of days with nothing but failures.
   */
  void update(long id, Definition hook) {
    write(
        """
        UPDATE t_hook
        SET url = ?,
          task_types = ?,
          kinds = ?,
          fail_since = IF(state = ?, fail_since, NULL),
          state = ?,
          modify_time = now_ms
        WHERE id = ?
        """,
        hook.url(),
        String.join(",", hook.taskTypes()),
        String.join(",", hook.kinds()),
        hook.state().code(),
        hook.state().code(),
        id);
  }

  /** Gives the hook a new secret; the one before signs beside it for a while. */
  void rotate(long id, HookSecret secret, Duration overlap) {
    write(
        """
        UPDATE t_hook
        SET old_secret = secret,
          old_secret_end = now_ms + ?,
          secret = ?,
          modify_time = now_ms
        WHERE id = ?
        """,
        overlap.toMillis(),
        secret.text(),
        id);
  }

  /** Marks the hook as deleted, and forgets what it was. */
  void markDeleted(long id) {
    write(
        """
        UPDATE t_hook
        SET name = NULL,
          state = ?,
          url = '',
          secret = '',
          old_secret = '',
          modify_time = now_ms
        WHERE id = ?
        """,
        StoredHookState.DELETED.code(),
        id);
  }

  /** Deletes the row of a deleted hook. */
  void remove(long id) {
    write("DELETE FROM t_hook WHERE id = ? AND state = ?", id, StoredHookState.DELETED.code());
  }

  /**
   * Moves the cursor of an active hook, unless it is not where it was seen; returns whether it
   * moved. A delete of the hook waits for the caller's transaction. So all deliveries are there
   * before the hook is deleted, and no delivery is created afterwards.
   */
  boolean moveCursor(long id, long from, long to) {
    return write(
        """
        UPDATE t_hook
        SET cursor_ = ?
        WHERE id = ?
          AND cursor_ = ?
          AND state = ?
        """,
        to,
        id,
        from,
        StoredHookState.ACTIVE.code());
  }

  /** A delivery succeeded. Locks the row only after a failure. */
  void succeeded(long id) {
    if (!select("WHERE id = ? AND fail_since IS NOT NULL", id).isEmpty()) {
      write("UPDATE t_hook SET fail_since = NULL WHERE id = ?", id);
    }
  }

  /** A delivery of a locked hook failed, which has this state from now on. */
  void failed(long id, String error, StoredHookState state) {
    write(
        """
        UPDATE t_hook
        SET fail_since = COALESCE(fail_since, now_ms),
          last_error = ?,
          state = ?
        WHERE id = ?
        """,
        error,
        state.code(),
        id);
  }

  /** Whether a task of this stage in this table is unfinished; one step into its index. */
  boolean isDelivered(TaskTable table, String stage) {
    return jdbc.sql(
            """
            SELECT EXISTS (
              SELECT 1 FROM %s
              WHERE status IN (1, 2, 32)
                AND task_stage = ?)
            """
                .formatted(table.sqlName()))
        .param(stage)
        .query(Boolean.class)
        .single();
  }

  private boolean write(String statement, Object... params) {
    return jdbc.sql(sql(statement)).params(params).update() == 1;
  }

  private static HookRow read(ResultSet rs) throws SQLException {
    String old = rs.getString("old_secret");
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
        rs.getObject("fail_since", Long.class),
        rs.getString("last_error"),
        rs.getLong("create_time"),
        rs.getLong("modify_time"),
        rs.getLong("db_now"));
  }

  private static Set<String> split(String names) {
    return names.isEmpty() ? Set.of() : new LinkedHashSet<>(List.of(names.split(",")));
  }
}
