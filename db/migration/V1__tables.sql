-- The fixed tables, and the template from which each t_{type}_task_{n} is made.
-- Times are epoch milliseconds on the database's clock unless a name or a comment says otherwise.

CREATE TABLE t_schedule_cfg (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL COMMENT 'as it was spelled; matched without regard to case',
  schedule_limit      INT          NOT NULL DEFAULT 100     COMMENT 'tasks a hold',
  schedule_interval   INT          NOT NULL DEFAULT 10      COMMENT 'seconds of a long poll, or between polls',
  max_processing_time INT          NOT NULL DEFAULT 30      COMMENT 'seconds from the hold: hard end of one attempt',
  max_retry_num       INT          NOT NULL DEFAULT 3       COMMENT 'retries of a stage',
  retry_interval      INT          NOT NULL DEFAULT 10      COMMENT 'seconds: first delay where there is a cap, else the cap; negative: always that',
  max_retry_interval  INT          NULL     DEFAULT NULL    COMMENT 'seconds: cap of the doubling',
  create_time         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  modify_time         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  lease_seconds       INT          NOT NULL DEFAULT 30,
  max_delivery        INT          NOT NULL DEFAULT 10      COMMENT 'holds in a row without a report before a task is quarantined',
  roll_threshold      BIGINT       NOT NULL DEFAULT 5000000 COMMENT 'rows in a table before the next one',
  retention_days      INT          NOT NULL DEFAULT 0       COMMENT 'days before a drained table is dropped; 0 for ever',
  max_executing       INT          NOT NULL DEFAULT 0       COMMENT 'tasks executing at once; 0 no limit',
  rate_limit          INT          NOT NULL DEFAULT 0       COMMENT 'holds of tasks a second; 0 no limit',
  paused              TINYINT      NOT NULL DEFAULT 0       COMMENT '1: holds get nothing, creates go on',
  PRIMARY KEY (task_type)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE t_schedule_pos (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL COMMENT 'in lower case',
  schedule_begin_pos  INT          NOT NULL COMMENT 'first table that may hold unfinished tasks',
  schedule_end_pos    INT          NOT NULL COMMENT 'table that new tasks go to',
  create_time         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  modify_time         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  PRIMARY KEY (task_type)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row an idempotency key. The insert of a key and of its task commit together.
CREATE TABLE t_task_key (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  idempotency_key     VARBINARY(128) NOT NULL COMMENT 'ASCII; binary, because every collation that both engines know ignores spaces at the end',
  body_hash           BINARY(32)   NOT NULL COMMENT 'SHA-256 of what was to be created',
  task_number         BIGINT       NOT NULL,
  table_number        INT          NOT NULL,
  expire_time         BIGINT       NOT NULL COMMENT 'ms; after it the key may be used anew',
  PRIMARY KEY (task_type, idempotency_key),
  KEY idx_expire (expire_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a non-empty hold that named a holdId: a repeat after a lost answer finds its tasks here.
-- The primary key also decides between two deliveries of one hold that run at the same time.
CREATE TABLE t_hold (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  worker_id           VARCHAR(64)  NOT NULL,
  hold_id             VARCHAR(64)  NOT NULL,
  trace_id            CHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  task_ids            MEDIUMTEXT   CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'comma list',
  expire_time         BIGINT       NOT NULL COMMENT 'ms; no lease of the hold lives longer',
  PRIMARY KEY (task_type, worker_id, hold_id),
  KEY idx_expire (expire_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a server number. A number is lent for a while and never to two servers at once.
CREATE TABLE t_server_number (
  server_number       INT          NOT NULL,
  owner               VARCHAR(64)  NOT NULL COMMENT 'random per process',
  lease_end           BIGINT       NOT NULL COMMENT 'ms; after it the number may be lent again',
  id_time_limit       BIGINT       NOT NULL COMMENT 'ms; the owner makes no id with a later time, the next owner none with an earlier one',
  PRIMARY KEY (server_number)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What each t_{type}_task_{n} looks like. A migration changes only this one;
-- the server brings the existing tables to it when it starts.
CREATE TABLE t_task_template (
  id                  BIGINT       NOT NULL COMMENT 'time-ordered number of the task id, unique over all tables',
  user_id             VARCHAR(128) NOT NULL,
  task_stage          VARCHAR(64)  NOT NULL,
  status              TINYINT      NOT NULL COMMENT '1 waiting, 2 executing, 4 success, 8 failed, 16 cancelled',
  priority            INT          NOT NULL DEFAULT 0    COMMENT 'seconds of head start',
  order_time          BIGINT       NOT NULL COMMENT 'ms; due from then on, smaller is sooner',
  crt_retry_num       INT          NOT NULL DEFAULT 0    COMMENT 'failures of the current stage',
  max_retry_num       INT          NULL     DEFAULT NULL COMMENT 'null: the type''s',
  max_retry_interval  INT          NULL     DEFAULT NULL COMMENT 'seconds, cap of the retry delay; null: the type''s',
  lease_epoch         INT          NOT NULL DEFAULT 0    COMMENT 'counts the holds; every write after a hold names it',
  reported_epoch      INT          NOT NULL DEFAULT 0    COMMENT 'epoch of the last accepted report',
  report_id           VARCHAR(64)  NULL     DEFAULT NULL COMMENT 'id of the last accepted report',
  delivery_count      INT          NOT NULL DEFAULT 0    COMMENT 'holds in a row that ended with no accepted report',
  worker_id           VARCHAR(64)  NOT NULL DEFAULT ''   COMMENT 'last holder; empty for an old client',
  trace_id            CHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'of the last hold',
  hold_time           BIGINT       NOT NULL DEFAULT 0    COMMENT 'ms; last hold',
  beat_time           BIGINT       NOT NULL DEFAULT 0    COMMENT 'ms; last heartbeat of the last hold, 0 if none',
  lease_end           BIGINT       NOT NULL DEFAULT 0    COMMENT 'ms; end of the last lease',
  progress            TINYINT      NULL     DEFAULT NULL COMMENT 'per cent',
  create_time         BIGINT       NOT NULL,
  modify_time         BIGINT       NOT NULL,
  task_context        TEXT         NOT NULL,
  result              TEXT         NULL,
  schedule_log        TEXT         NOT NULL,
  PRIMARY KEY (id),
  KEY idx_claim (status, task_stage, order_time),
  KEY idx_user (user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
