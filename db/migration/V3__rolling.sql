-- Families that roll, drain and are dropped.

ALTER TABLE t_schedule_pos
  ADD COLUMN schedule_first_pos INT    NOT NULL DEFAULT 1 COMMENT 'first table that has not been dropped',
  ADD COLUMN schedule_end_rows  BIGINT NOT NULL DEFAULT 0 COMMENT 'rows of the end table that were given out to creators, in blocks';

-- One row a table. Whoever makes a task in a table, or lets one wait there again, locks its row (shared) until it
-- commits; begin moves past a table only under the same lock (exclusive).
CREATE TABLE t_task_table (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  table_number        INT          NOT NULL,
  create_time         BIGINT       NOT NULL COMMENT 'ms',
  drain_time          BIGINT       NULL     DEFAULT NULL COMMENT 'ms; when begin moved past it: from then on nothing in it is unfinished',
  drop_time           BIGINT       NULL     DEFAULT NULL COMMENT 'ms; when it was given up: from then on it is not read',
  PRIMARY KEY (task_type, table_number),
  KEY idx_drop (drop_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO t_task_table (task_type, table_number, create_time, drain_time)
WITH RECURSIVE made (task_type, table_number, begin_pos, end_pos) AS (
  SELECT task_type, 1, schedule_begin_pos, schedule_end_pos
  FROM t_schedule_pos
  UNION ALL
  SELECT task_type, table_number + 1, begin_pos, end_pos
  FROM made
  WHERE table_number < end_pos
)
SELECT LOWER(task_type), table_number, CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED),
  IF(table_number < begin_pos, CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED), NULL)
FROM made;
