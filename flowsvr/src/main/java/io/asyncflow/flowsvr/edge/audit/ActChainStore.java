package io.asyncflow.flowsvr.edge.audit;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.rules.act.ActChain;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** {@code t_act_chain}, and the acts that it covers. Thread-safe. */
@Component
class ActChainStore {

  private static final int COLUMNS = ActChain.COLUMNS.split(",").length;

  private final JdbcTemplate jdbc;

  ActChainStore(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * @param id of the act
   * @param chain of the acts up to this one
   */
  record Link(long id, byte[] chain) {}

  /**
   * An act that no link covers.
   *
   * @param values of {@link ActChain#COLUMNS}
   * @param isOld whether all acts with lower ids are committed
   */
  record Unchained(long id, List<String> values, boolean isOld) {}

  /** Whether there are acts after the last one that was chained. */
  boolean hasUnchained() {
    return jdbc.queryForObject(
        """
        SELECT EXISTS (
          SELECT 1 FROM t_act WHERE id > (SELECT COALESCE(MAX(to_id), 0) FROM t_act_chain))
        """,
        Boolean.class);
  }

  Optional<Link> last() {
    return jdbc
        .query(
            "SELECT to_id, chain FROM t_act_chain ORDER BY to_id DESC LIMIT 1",
            (rs, row) -> new Link(rs.getLong(1), rs.getBytes(2)))
        .stream()
        .findFirst();
  }

  /** The acts after an id, by their ids. */
  List<Unchained> after(long id, Duration old, int limit) {
    return jdbc.query(
        sql(
            "SELECT "
                + ActChain.COLUMNS
                + ", act_time <= now_ms - ?\nFROM t_act\nWHERE id > ?\nORDER BY id\nLIMIT ?"),
        (rs, row) -> new Unchained(rs.getLong(1), values(rs), rs.getBoolean(COLUMNS + 1)),
        old.toMillis(),
        id,
        limit);
  }

  private static List<String> values(ResultSet rs) throws SQLException {
    List<String> values = new ArrayList<>(COLUMNS);
    for (int i = 1; i <= COLUMNS; i++) {
      values.add(rs.getString(i));
    }
    return values;
  }

  void insert(List<Link> links) {
    jdbc.batchUpdate(
        sql("INSERT INTO t_act_chain (to_id, chain, close_time) VALUES (?, ?, now_ms)"),
        links,
        links.size(),
        (statement, link) -> {
          statement.setLong(1, link.id());
          statement.setBytes(2, link.chain());
        });
  }

  /** The last act of a page of the oldest ones that were chained so long ago. */
  Optional<Long> lastOlderThan(Duration age, int limit) {
    return jdbc
        .queryForList(
            sql(
                """
                SELECT to_id
                FROM t_act_chain
                WHERE close_time < now_ms - ?
                ORDER BY to_id
                LIMIT ?
                """),
            Long.class,
            age.toMillis(),
            limit)
        .stream()
        .reduce((one, next) -> next);
  }

  /** Deletes the acts up to this one, with their links but for the last; returns their number. */
  int deleteUpTo(long id) {
    jdbc.update("DELETE FROM t_act_chain WHERE to_id < ?", id);
    return jdbc.update("DELETE FROM t_act WHERE id <= ?", id);
  }
}
