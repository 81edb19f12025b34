-- How many tasks of a type each user may create a minute.
ALTER TABLE t_schedule_cfg
  ADD COLUMN user_rate_limit INT NOT NULL DEFAULT 0 COMMENT 'tasks that a user may create a minute; 0 no limit';

-- One row a user who has created tasks of a type with a user_rate_limit lately. Creates lock it.
CREATE TABLE t_user_limit (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  user_id             VARCHAR(128) NOT NULL,
  spent_until         BIGINT       NOT NULL DEFAULT 0 COMMENT 'microseconds since 1970; the rate is spent up to then',
  PRIMARY KEY (task_type, user_id),
  -- Rows that retention deletes.
  KEY idx_spent (spent_until)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
