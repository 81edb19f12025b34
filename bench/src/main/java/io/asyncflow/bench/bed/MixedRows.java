package io.asyncflow.bench.bed;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Rows of a type in all states: of eight stages and a hundred users, created one after the other
 * during the last day. In each stage, 30 of 100 have been due since then, 20 become due tomorrow,
 * 42 are done, 6 have failed and 2 are cancelled; besides, the oldest ones are executing, one for
 * each worker.
 *
 * @param rows how many there are
 * @param firstMs the time in the id of the first, as ids count it
 */
public record MixedRows(String type, int rows, long firstMs) {

  /** How many stages they are in, {@code s0} and so on. */
  public static final int STAGES = 8;

  private static final long DAY_MS = Duration.ofDays(1).toMillis();

  /** An id has its milliseconds above these bits. */
  private static final int BITS_BELOW_MS = 22;

  private static final String INSERT =
      """
      INSERT INTO %s
        (id, user_id, task_stage, status, priority, order_time, create_time, modify_time,
         worker_id, lease_epoch, hold_time, beat_time, lease_end, task_context, schedule_log)
      SELECT (? + made) << bits_below, CONCAT('user-', MOD(n, users)), CONCAT('s', MOD(n, stages)),
        CASE WHEN n <= executing THEN 2
             WHEN share < 50 THEN 1
             WHEN share < 92 THEN 4
             WHEN share < 98 THEN 8
             ELSE 16 END,
        0,
        now_ms - day + made + IF(n > executing AND share BETWEEN 30 AND 49, 2 * day, 0),
        now_ms - day + made,
        now_ms - day + made,
        IF(n <= executing, CONCAT('worker-', n - 1), ''),
        IF(n <= executing, 1, 0),
        IF(n <= executing, now_ms, 0),
        IF(n <= executing, now_ms, 0),
        IF(n <= executing, now_ms + day, 0),
        ?,
        ''
      FROM (
        SELECT n, MOD(n DIV stages, 100) AS share, (n - 1) * day DIV rows AS made
        FROM numbers
        WHERE n <= rows
      ) mixed
      """;

  /**
   * Fills the first table of a new type.
   *
   * @param executing how many of them are executing
   */
  public static MixedRows fill(FlowBed bed, String type, int rows, int executing)
      throws SQLException {
    bed.addType(Workload.unrolledType(type));
    long nowMs = numberOf(bed.flow().createTask(Workload.task(type, 0))) >> BITS_BELOW_MS;
    MixedRows mixed = new MixedRows(type, rows, nowMs - DAY_MS);
    String sql =
        INSERT
            .formatted(TestBed.firstTableOf(type))
            .replace("FROM numbers", "FROM " + Backlog.NUMBERS)
            .replace("now_ms", RawTable.NOW_MS)
            .replace("bits_below", "" + BITS_BELOW_MS)
            .replace("users", "" + Workload.USERS)
            .replace("stages", "" + STAGES)
            .replace("executing", "" + executing)
            .replace("day", "" + DAY_MS)
            .replaceAll("\\brows\\b", "" + rows);
    try (Connection connection = bed.connect();
        PreparedStatement insert = connection.prepareStatement(sql)) {
      for (int first = 1; first <= rows; first += Backlog.ROWS_A_COMMIT) {
        insert.setLong(1, mixed.firstMs());
        insert.setString(2, Workload.context(0));
        insert.setInt(3, first);
        insert.executeUpdate();
      }
    }
    return mixed;
  }

  private static long numberOf(String taskId) {
    return Long.parseLong(taskId.substring(0, taskId.indexOf('_')));
  }

  /**
   * The id of one of them.
   *
   * @param place any number from 0 on; the same ones come again after as many as there are
   */
  public String taskId(int place) {
    long made = (long) (place % rows) * DAY_MS / rows;
    return (firstMs + made << BITS_BELOW_MS) + "_" + type + "_task_1";
  }
}
