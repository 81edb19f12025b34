-- The tables of Asyncflow. Each later change of them is a file of its own beside this one.
--
-- A time is a BIGINT of milliseconds since 1970 on the database's clock, unless a comment says otherwise.
-- A status is 1 waiting, 2 executing, 4 success, 8 failed, 16 cancelled, 32 paused.
-- A task's id names its type, its table and its row (a number), and a row never moves to another table.
-- Texts are compared exactly (utf8mb4_bin), but for spaces at their end. What is ASCII by its form is declared so,
-- which keeps keys short.
--
-- flyway_schema_history and t_migration_begun are made before any migration: what was done, and what has begun.


-- Task types and their tables

-- One row a task type: how its tasks are handed out, retried and kept. Operators change it while servers run.
CREATE TABLE t_schedule_cfg (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL COMMENT 'as it was spelled; matched without regard to case',
  schedule_limit      INT          NOT NULL DEFAULT 100     COMMENT 'tasks a hold, where the hold names no limit',
  schedule_interval   INT          NOT NULL DEFAULT 10      COMMENT 'seconds of a long poll, or between polls',
  max_processing_time INT          NOT NULL DEFAULT 30      COMMENT 'seconds from the hold: hard end of one attempt',
  lease_seconds       INT          NOT NULL DEFAULT 30      COMMENT 'for so long a task stays with a holder that is not heard of',
  max_retry_num       INT          NOT NULL DEFAULT 3       COMMENT 'retries of a stage',
  retry_interval      INT          NOT NULL DEFAULT 10      COMMENT 'seconds: first delay where there is a cap, else the cap; negative: always that',
  max_retry_interval  INT          NULL     DEFAULT NULL    COMMENT 'seconds: cap of the doubling',
  max_delivery        INT          NOT NULL DEFAULT 10      COMMENT 'holds in a row without a report before a task is quarantined',
  max_executing       INT          NOT NULL DEFAULT 0       COMMENT 'tasks executing at once; 0 no limit',
  rate_limit          INT          NOT NULL DEFAULT 0       COMMENT 'holds of tasks a second; 0 no limit',
  roll_threshold      BIGINT       NOT NULL DEFAULT 5000000 COMMENT 'rows in a table before the next one',
  retention_days      INT          NOT NULL DEFAULT 0       COMMENT 'days before a drained table is dropped; 0 for ever',
  paused              TINYINT      NOT NULL DEFAULT 0       COMMENT '1: holds get nothing, creates go on',
  create_time         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  modify_time         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  PRIMARY KEY (task_type)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a task type: which of its numbered tables are in use. Positions only rise, and each UPDATE names the
-- position that it expects, so of two servers that move one, one wins.
CREATE TABLE t_schedule_pos (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL COMMENT 'in lower case',
  schedule_first_pos  INT          NOT NULL DEFAULT 1 COMMENT 'first table that has not been dropped',
  schedule_begin_pos  INT          NOT NULL           COMMENT 'first table that may hold unfinished tasks',
  schedule_end_pos    INT          NOT NULL           COMMENT 'table that new tasks go to',
  schedule_end_rows   BIGINT       NOT NULL DEFAULT 0 COMMENT 'rows of the end table that were given out to creators, in blocks',
  create_time         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  modify_time         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  PRIMARY KEY (task_type)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a task table: its life, and its lock. A transaction that makes a task in a table, or lets one wait there
-- again, holds the row's shared lock; begin moves past a table only under the exclusive one.
CREATE TABLE t_task_table (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  table_number        INT          NOT NULL,
  create_time         BIGINT       NOT NULL,
  drain_time          BIGINT       NULL     DEFAULT NULL COMMENT 'when begin moved past it: from then on nothing in it is unfinished',
  drop_time           BIGINT       NULL     DEFAULT NULL COMMENT 'when it was given up: from then on nobody reads it',
  PRIMARY KEY (task_type, table_number),
  KEY idx_drop (drop_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What each t_{type}_task_{n} looks like, one row a task; always empty itself. Task tables are made LIKE it. A migration
-- changes this one alone, and the next server that starts brings the existing tables to it.
CREATE TABLE t_task_template (
  id                  BIGINT       NOT NULL COMMENT 'time-ordered number of the task id, unique over all tables',
  user_id             VARCHAR(128) NOT NULL,
  job_id              BIGINT       NULL     DEFAULT NULL COMMENT 'in t_job; null for a task of its own. No index: t_job_task leads from a job to its tasks',
  job_index           INT          NULL     DEFAULT NULL COMMENT 'among the children of the job, from 0; -1 the split, -2 the merge',
  task_stage          VARCHAR(64)  NOT NULL,
  status              TINYINT      NOT NULL,
  priority            INT          NOT NULL DEFAULT 0    COMMENT 'seconds of head start',
  order_time          BIGINT       NOT NULL              COMMENT 'due from then on, smaller is sooner',
  crt_retry_num       INT          NOT NULL DEFAULT 0    COMMENT 'failures of the current stage',
  max_retry_num       INT          NULL     DEFAULT NULL COMMENT 'null: the type''s',
  max_retry_interval  INT          NULL     DEFAULT NULL COMMENT 'seconds, cap of the retry delay; null: the type''s',
  lease_epoch         INT          NOT NULL DEFAULT 0    COMMENT 'counts the holds; every write after a hold names it',
  reported_epoch      INT          NOT NULL DEFAULT 0    COMMENT 'epoch of the last accepted report',
  report_id           VARCHAR(64)  NULL     DEFAULT NULL COMMENT 'id of the last accepted report',
  delivery_count      INT          NOT NULL DEFAULT 0    COMMENT 'holds in a row that ended with no accepted report',
  worker_id           VARCHAR(64)  NOT NULL DEFAULT ''   COMMENT 'last holder; empty for an old client',
  trace_id            CHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'of the last hold',
  hold_time           BIGINT       NOT NULL DEFAULT 0    COMMENT 'last hold',
  beat_time           BIGINT       NOT NULL DEFAULT 0    COMMENT 'last heartbeat of the last hold, 0 if none',
  lease_end           BIGINT       NOT NULL DEFAULT 0    COMMENT 'end of the last lease',
  progress            TINYINT      NULL     DEFAULT NULL COMMENT 'per cent',
  create_time         BIGINT       NOT NULL,
  modify_time         BIGINT       NOT NULL,
  task_context        TEXT         NOT NULL              COMMENT 'input of the current stage',
  result              TEXT         NULL,
  schedule_log        TEXT         NOT NULL              COMMENT 'what happened to it, for people',
  PRIMARY KEY (id),
  -- The waiting tasks of a stage as one range, in the order in which they are due. No other index may hold the status.
  KEY idx_claim (status, task_stage, order_time),
  KEY idx_user (user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row at most: the template that all task tables are known to have. A start with the same one looks at none of them.
CREATE TABLE t_task_upgrade (
  id                  TINYINT      NOT NULL DEFAULT 1 COMMENT 'always 1',
  template            CHAR(64)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 of its columns and keys',
  PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;


-- Calls that may be repeated, and limits

-- One row an idempotency key: a create that is repeated finds its task here. A key and its task commit together.
CREATE TABLE t_task_key (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  idempotency_key     VARBINARY(128) NOT NULL COMMENT 'ASCII; binary, because every collation that both databases know ignores spaces at the end',
  body_hash           BINARY(32)   NOT NULL COMMENT 'SHA-256 of what was to be created',
  task_number         BIGINT       NOT NULL,
  table_number        INT          NOT NULL,
  expire_time         BIGINT       NOT NULL COMMENT 'after it the key may be used anew',
  PRIMARY KEY (task_type, idempotency_key),
  KEY idx_expire (expire_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a non-empty hold that named a holdId: a hold that is repeated after a lost answer finds its tasks here.
-- The primary key also decides between two deliveries of one hold that run at the same time.
CREATE TABLE t_hold (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  worker_id           VARCHAR(64)  NOT NULL,
  hold_id             VARCHAR(64)  NOT NULL,
  trace_id            CHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  task_ids            MEDIUMTEXT   CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'comma list',
  expire_time         BIGINT       NOT NULL COMMENT 'two first leases after the hold: by then its worker has the answer, or has lost the tasks',
  PRIMARY KEY (task_type, worker_id, hold_id),
  KEY idx_expire (expire_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a type with a max_executing or a rate_limit: claims of such a type lock it, one after the other. What
-- executes is counted from the tasks, so no counter can leak.
CREATE TABLE t_type_limit (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  spent_until         BIGINT       NOT NULL DEFAULT 0 COMMENT 'microseconds since 1970; the rate is spent up to then',
  PRIMARY KEY (task_type)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;


-- Servers, workers and operators

-- One row a server number, which makes the numbers of tasks unique. It is lent for a while, never to two servers at
-- once; keeping it is the heartbeat of a server.
CREATE TABLE t_server_number (
  server_number       INT          NOT NULL,
  owner               VARCHAR(64)  NOT NULL            COMMENT 'random per process',
  host                VARCHAR(255) NOT NULL DEFAULT '' COMMENT 'of the owner, for people',
  start_time          BIGINT       NOT NULL DEFAULT 0  COMMENT 'when the owner borrowed it',
  lease_end           BIGINT       NOT NULL            COMMENT 'after it the number may be lent again',
  id_time_limit       BIGINT       NOT NULL            COMMENT 'the owner makes no id with a later time, the next owner none with an earlier one',
  PRIMARY KEY (server_number)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row: the server that runs the governance duties that only one should run.
CREATE TABLE t_leader (
  role                VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  leader              VARCHAR(64)  NOT NULL COMMENT 'owner in t_server_number; empty before the first term',
  term                BIGINT       NOT NULL COMMENT 'rises with every change of leader',
  lease_end           BIGINT       NOT NULL COMMENT 'after it another server may take over',
  PRIMARY KEY (role)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO t_leader (role, leader, term, lease_end) VALUES ('governance', '', 0, 0);

-- One row a governance duty: its last run, whichever server ran it, and the last one that did something, since most
-- runs find nothing to do.
CREATE TABLE t_governance_job (
  job                 VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  node                VARCHAR(64)  NOT NULL COMMENT 'owner in t_server_number',
  run_time            BIGINT       NOT NULL COMMENT 'end of the last run',
  cost_ms             BIGINT       NOT NULL,
  result              TEXT         NOT NULL COMMENT 'JSON',
  error               TEXT         NULL,
  did_time            BIGINT       NULL     DEFAULT NULL COMMENT 'end of the last run that did something',
  did_result          TEXT         NULL                  COMMENT 'JSON; its result',
  PRIMARY KEY (job)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a worker, as it was heard of last: for people who look at workers or drain one. No task depends on it.
CREATE TABLE t_worker (
  worker_id           VARCHAR(64)  NOT NULL,
  start_id            VARCHAR(64)  NOT NULL DEFAULT '' COMMENT 'which start of it was heard of last, as its beats name it; empty if they do not',
  start_time          BIGINT       NOT NULL DEFAULT 0  COMMENT 'last beat that named start_id; a beat of an earlier start may be written later',
  host                VARCHAR(255) NOT NULL DEFAULT '',
  sdk_version         VARCHAR(64)  NOT NULL DEFAULT '',
  description         TEXT         NOT NULL            COMMENT 'JSON: types, stages, labels, free slots, states',
  held_tasks          INT          NOT NULL DEFAULT 0,
  first_time          BIGINT       NOT NULL            COMMENT 'first beat',
  beat_time           BIGINT       NOT NULL            COMMENT 'last beat',
  drain               TINYINT      NOT NULL DEFAULT 0  COMMENT '1: this start of it was told to finish and leave',
  PRIMARY KEY (worker_id),
  -- Lists begin with the worker heard of last, and the longest silent are forgotten first.
  KEY idx_beat (beat_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row an act of an operator on a task: who did it, and why.
CREATE TABLE t_audit (
  id                  BIGINT       NOT NULL AUTO_INCREMENT,
  act_time            BIGINT       NOT NULL,
  act                 VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  task_id             VARCHAR(96)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  operator            VARCHAR(128) NOT NULL DEFAULT '',
  reason              VARCHAR(1000) NOT NULL DEFAULT '',
  status_before       TINYINT      NOT NULL,
  status_after        TINYINT      NOT NULL,
  new_task_id         VARCHAR(96)  CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'the copy, if one was made',
  PRIMARY KEY (id),
  KEY idx_task (task_id),
  KEY idx_act_time (act_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;


-- Jobs: one input, split into tasks that run side by side, merged in order

-- One row a job: its state, and how many of its children have ended. Children are counted in the transactions that
-- end them, so the last of them is known to be the last.
CREATE TABLE t_job (
  id                  BIGINT       NOT NULL COMMENT 'time-ordered, from the source of the task numbers',
  user_id             VARCHAR(128) NOT NULL,
  job_type            VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'task type of the split and the merge',
  child_type          VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'task type of the children',
  priority            INT          NOT NULL DEFAULT 0    COMMENT 'seconds of head start',
  fail_fast           TINYINT      NOT NULL DEFAULT 0    COMMENT '1: the first failed child ends the job',
  idempotency_key     VARBINARY(128) NULL   DEFAULT NULL COMMENT 'ASCII',
  body_hash           BINARY(32)   NOT NULL              COMMENT 'SHA-256 of what was to be created',
  input_bytes         INT          NOT NULL,
  input_kept          TINYINT      NOT NULL DEFAULT 1    COMMENT '0: the input was deleted',
  state               VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SPLITTING, RUNNING, RETRYING, STOPPING, MERGING, SUCCESS, FAILED, CANCELLED',
  stop_as             VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'FAILED' COMMENT 'what STOPPING ends as',
  split_number        BIGINT       NOT NULL              COMMENT 'number of the task that splits it',
  split_table         INT          NOT NULL,
  staged              INT          NOT NULL DEFAULT 0    COMMENT 'children that the split has sent so far',
  staged_epoch        INT          NOT NULL DEFAULT 0    COMMENT 'the hold of the split that sent them',
  total               INT          NULL     DEFAULT NULL COMMENT 'children; null until the split has reported',
  released            INT          NOT NULL DEFAULT 0    COMMENT 'children below this index are tasks',
  revived             INT          NOT NULL DEFAULT 0    COMMENT 'children below this index wait again, by a retry',
  done                INT          NOT NULL DEFAULT 0    COMMENT 'children with status 4',
  failed              INT          NOT NULL DEFAULT 0    COMMENT 'children with status 8',
  cancelled           INT          NOT NULL DEFAULT 0    COMMENT 'children with status 16',
  merge_number        BIGINT       NULL     DEFAULT NULL COMMENT 'number of the task that merges it; null until there is one',
  merge_table         INT          NULL     DEFAULT NULL,
  result              TEXT         NULL                  COMMENT 'of the merge',
  err_msg             VARCHAR(1000) NULL    DEFAULT NULL COMMENT 'why the split or the merge failed',
  run_time            BIGINT       NULL     DEFAULT NULL COMMENT 'when its children began to run, last',
  run_base            INT          NOT NULL DEFAULT 0    COMMENT 'children that had ended by then',
  version             BIGINT       NOT NULL DEFAULT 1    COMMENT 'rises with every change',
  create_time         BIGINT       NOT NULL,
  modify_time         BIGINT       NOT NULL,
  end_time            BIGINT       NULL     DEFAULT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uk_key (job_type, idempotency_key),
  KEY idx_user (user_id),
  -- Jobs whose state asks for a next step.
  KEY idx_state (state),
  -- Jobs that retention deletes, and inputs that it deletes before them.
  KEY idx_ended (job_type, end_time),
  KEY idx_input (input_kept, state, end_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The input of a job, in parts: neither a packet nor a reader has to hold all of it.
CREATE TABLE t_job_input (
  job_id              BIGINT       NOT NULL,
  part                INT          NOT NULL COMMENT 'from 0',
  content             MEDIUMBLOB   NOT NULL COMMENT 'UTF-8; a character may continue in the next part',
  PRIMARY KEY (job_id, part)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The children of a job in their order, staged until they are tasks; afterwards it leads from a job to its tasks.
CREATE TABLE t_job_task (
  job_id              BIGINT       NOT NULL,
  idx                 INT          NOT NULL              COMMENT 'from 0',
  task_stage          VARCHAR(64)  NOT NULL,
  task_context        TEXT         NULL                  COMMENT 'null once it lies in the task',
  priority            INT          NULL     DEFAULT NULL COMMENT 'null: the job''s',
  task_number         BIGINT       NULL     DEFAULT NULL COMMENT 'null while it is staged',
  table_number        INT          NULL     DEFAULT NULL,
  PRIMARY KEY (job_id, idx)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a job that was deleted and has left rows in t_job_input or t_job_task: those go in pages, after the job.
CREATE TABLE t_job_gone (
  job_id              BIGINT       NOT NULL,
  PRIMARY KEY (job_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
