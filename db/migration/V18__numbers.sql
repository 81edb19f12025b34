-- Numbers for people: throughput, latencies and failures. Nothing is decided by them, and a crash loses seconds of them.

-- One row a stage, a minute and a server. A server writes its own rows alone, with absolute values, so a write may be
-- repeated. What is older than a day is rolled up: ten minutes of all servers in one row.
CREATE TABLE t_metric (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  task_stage          VARCHAR(64)  NOT NULL COMMENT 'empty: all stages together; an ellipsis: the stages beyond those that a server counts apart',
  minute              INT          NOT NULL COMMENT 'begin, in minutes since the epoch, by the database''s clock',
  writer              INT          NOT NULL COMMENT '31 bits of the server''s random id; 0 for rows that were rolled up',
  span                SMALLINT     NOT NULL COMMENT 'minutes: 1, or 10 when rolled up',
  created             INT          NOT NULL,
  arrived             INT          NOT NULL COMMENT 'from another stage',
  held                INT          NOT NULL,
  succeeded           INT          NOT NULL,
  moved_on            INT          NOT NULL COMMENT 'to another stage',
  retried             INT          NOT NULL COMMENT 'attempts that failed by a report, with a retry to come',
  failed              INT          NOT NULL COMMENT 'tasks that were set to failed',
  cancelled           INT          NOT NULL,
  given_back          INT          NOT NULL COMMENT 'by RELEASE or SNOOZE',
  lost                INT          NOT NULL COMMENT 'holds of workers that were lost, also those whose lease an operator ended',
  timed_out           INT          NOT NULL COMMENT 'attempts, also the last ones of tasks that failed',
  poisoned            INT          NOT NULL COMMENT 'tasks, which count as failed, too',
  run_hist            VARBINARY(768) NOT NULL COMMENT 'how long runs took: pairs of a bucket and a count; see Histogram',
  wait_hist           VARBINARY(768) NOT NULL COMMENT 'how long due tasks waited for their holds',
  PRIMARY KEY (task_type, task_stage, minute, writer),
  -- Rolling up and deleting begin with the oldest.
  KEY idx_age (span, minute)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Failures that are alike, by the hour, with exact counts. A server writes its own rows alone, with absolute values.
CREATE TABLE t_failure_group (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  hour                INT          NOT NULL COMMENT 'since the epoch, by the database''s clock',
  fingerprint         BIGINT       NOT NULL COMMENT '0 for all groups beyond those that a server keeps apart',
  writer              INT          NOT NULL COMMENT 'as in t_metric',
  task_stage          VARCHAR(64)  NOT NULL,
  verdict             VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  failures            INT          NOT NULL,
  finals              INT          NOT NULL COMMENT 'tasks that were set to failed',
  first_time          BIGINT       NOT NULL,
  last_time           BIGINT       NOT NULL,
  sample              VARCHAR(1000) NOT NULL COMMENT 'message of the last failure',
  sample_task         VARCHAR(96)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'its task',
  PRIMARY KEY (task_type, hour, fingerprint, writer),
  KEY idx_hour (hour)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
