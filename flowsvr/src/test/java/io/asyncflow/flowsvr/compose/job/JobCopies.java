package io.asyncflow.flowsvr.compose.job;

import org.springframework.jdbc.core.simple.JdbcClient;

/** Many jobs, as rows of {@code t_job} alone. */
public final class JobCopies {

  private static final String COLUMNS =
      """
      user_id, job_type, child_type, body_hash, input_bytes, state, split_number, split_table, \
      total, released, create_time, modify_time, end_time""";

  private JobCopies() {}

  /**
   * Inserts jobs with the ids that follow the job's, without its key.
   *
   * @param assignments what differs from the job
   */
  public static void of(JdbcClient jdbc, long id, int count, String assignments) {
    for (int have = 1; have <= count; have *= 2) {
      jdbc.sql(
              """
              INSERT INTO t_job (id, %1$s)
              SELECT id + :have, %1$s
              FROM t_job
              WHERE id >= :id
                AND id < :id + :more
              """
                  .formatted(COLUMNS))
          .param("have", have)
          .param("id", id)
          .param("more", Math.min(have, count + 1 - have))
          .update();
    }
    jdbc.sql("UPDATE t_job SET " + assignments + " WHERE id > :id AND id <= :id + :count")
        .param("id", id)
        .param("count", count)
        .update();
  }

  public static void delete(JdbcClient jdbc, long id, int count) {
    jdbc.sql("DELETE FROM t_job WHERE id > :id AND id <= :id + :count")
        .param("id", id)
        .param("count", count)
        .update();
  }
}
