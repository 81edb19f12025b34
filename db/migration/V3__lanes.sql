-- Lanes: which workers may hold a task.

-- One byte an entry of the index for the tasks that every worker may hold. The lane precedes the due time, so that the
-- waiting tasks of a stage and a lane are one range in the order in which they are due.
ALTER TABLE t_task_template
  ADD COLUMN lane VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'in t_lane: which workers may hold it; empty: all',
  DROP KEY idx_claim,
  ADD KEY idx_claim (status, task_stage, lane, order_time);

-- One row a lane: a set of workers that tasks were made for.
CREATE TABLE t_lane (
  lane                VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'first digits of the SHA-256 of the sorted workers, salted if another set has them',
  workers             TEXT         NOT NULL COMMENT 'JSON: their ids, sorted',
  use_time            BIGINT       NOT NULL COMMENT 'when it was last asked for, to a day',
  PRIMARY KEY (lane)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The lanes of each worker; written with t_lane.
CREATE TABLE t_lane_worker (
  worker_id           VARCHAR(64)  NOT NULL,
  lane                VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (worker_id, lane),
  KEY idx_lane (lane)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The task tables that may have tasks in a lane: it stays while one of them can be read. Written before the first such task.
CREATE TABLE t_lane_table (
  lane                VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  table_number        INT          NOT NULL,
  PRIMARY KEY (lane, task_type, table_number),
  KEY idx_table (task_type, table_number)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Beside the positions, because every look for due tasks reads them anyway.
ALTER TABLE t_schedule_pos
  ADD COLUMN lanes TINYINT NOT NULL DEFAULT 0 COMMENT '1 from the first task of the type in a lane on; claims of others ask for the empty lane alone';

ALTER TABLE t_job_task
  ADD COLUMN worker_ids TEXT NULL COMMENT 'JSON; null: every worker may hold it, or it is a task by now';

ALTER TABLE t_worker
  ADD COLUMN drain_grace BIGINT NULL DEFAULT NULL COMMENT 'ms after which a drained worker interrupts what it runs; null: never';
