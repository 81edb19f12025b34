-- The tables of Asyncflow, by feature. From the first release on, each change of them is a file of its own beside this
-- one; until then, this file itself is changed.
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
  task_type              VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL COMMENT 'as it was spelled; matched without regard to case',
  schedule_limit         INT          NOT NULL DEFAULT 100     COMMENT 'tasks a hold, where the hold names no limit',
  schedule_interval      INT          NOT NULL DEFAULT 10      COMMENT 'seconds of a long poll, or between polls',
  max_processing_time    INT          NOT NULL DEFAULT 30      COMMENT 'seconds from the hold: hard end of one attempt',
  lease_seconds          INT          NOT NULL DEFAULT 30      COMMENT 'for so long a task stays with a holder that is not heard of',
  max_retry_num          INT          NOT NULL DEFAULT 3       COMMENT 'retries of a stage',
  retry_interval         INT          NOT NULL DEFAULT 10      COMMENT 'seconds: first delay where there is a cap, else the cap; negative: always that',
  max_retry_interval     INT          NULL     DEFAULT NULL    COMMENT 'seconds: cap of the doubling',
  max_unexpected_retries INT          NULL     DEFAULT NULL    COMMENT 'retries of a stage after failures that its handler did not report (it threw, or its time ran out); null: they count as retries of max_retry_num',
  max_delivery           INT          NOT NULL DEFAULT 10      COMMENT 'holds in a row without a report before a task is quarantined',
  max_executing          INT          NOT NULL DEFAULT 0       COMMENT 'tasks executing at once; 0 no limit',
  rate_limit             INT          NOT NULL DEFAULT 0       COMMENT 'holds of tasks a second; 0 no limit',
  user_rate_limit        INT          NOT NULL DEFAULT 0       COMMENT 'tasks that a user may create a minute; 0 no limit',
  min_worker_version     INT          NOT NULL DEFAULT 0       COMMENT 'lowest version of a worker that gets tasks; 0 for any',
  roll_threshold         BIGINT       NOT NULL DEFAULT 5000000 COMMENT 'rows in a table before the next one',
  retention_days         INT          NOT NULL DEFAULT 0       COMMENT 'days before a drained table is dropped; 0 for ever',
  paused                 TINYINT      NOT NULL DEFAULT 0       COMMENT '1: holds get nothing, creates go on',
  events                 TINYINT      NOT NULL DEFAULT 0       COMMENT 'events that are written: 0 none, 1 ends, 2 all',
  sealed                 TINYINT      NOT NULL DEFAULT 0       COMMENT '1 texts must be sealed, 0 either way, -1 they must not',
  create_time            DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  modify_time            DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  PRIMARY KEY (task_type)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a task type: which of its numbered tables are in use. Positions only rise, and each UPDATE names the
-- position that it expects, so of two servers that move one, one wins. Whether there are lanes is here because every
-- look for due tasks reads this row anyway.
CREATE TABLE t_schedule_pos (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL COMMENT 'in lower case',
  schedule_first_pos  INT          NOT NULL DEFAULT 1 COMMENT 'first table that has not been dropped',
  schedule_begin_pos  INT          NOT NULL           COMMENT 'first table that may hold unfinished tasks',
  schedule_end_pos    INT          NOT NULL           COMMENT 'table that new tasks go to',
  schedule_end_rows   BIGINT       NOT NULL DEFAULT 0 COMMENT 'rows of the end table that were given out to creators, in blocks',
  lanes               TINYINT      NOT NULL DEFAULT 0 COMMENT '1 from the first task of the type in a lane on; claims of others ask for the empty lane alone',
  create_time         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  modify_time         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  PRIMARY KEY (task_type)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What each t_{type}_task_{n} looks like, one row a task; always empty itself. Task tables are made LIKE it. A
-- migration changes this one alone, and the next server that starts brings the existing tables to it.
CREATE TABLE t_task_template (
  id                     BIGINT       NOT NULL COMMENT 'time-ordered number of the task id, unique over all tables',
  user_id                VARCHAR(128) NOT NULL,
  job_id                 BIGINT       NULL     DEFAULT NULL COMMENT 'in t_job; null for a task of its own. No index: t_job_task leads from a job to its tasks',
  job_index              INT          NULL     DEFAULT NULL COMMENT 'among the children of the job, from 0; -1 the split, -2 the merge',
  job_copies             INT          NULL     DEFAULT NULL COMMENT 'of a copy of a team, how many there are; null for all other tasks',
  schedule_id            BIGINT       NULL     DEFAULT NULL COMMENT 'in t_schedule; null for a task that no schedule created',
  fire_time              BIGINT       NULL     DEFAULT NULL COMMENT 'of the schedule that created it',
  trace_parent           VARCHAR(55)  CHARACTER SET ascii COLLATE ascii_bin NULL DEFAULT NULL COMMENT 'W3C traceparent of the create; null: the call had none',
  task_stage             VARCHAR(64)  NOT NULL,
  lane                   VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'in t_lane: which workers may hold it; empty: all',
  status                 TINYINT      NOT NULL,
  priority               INT          NOT NULL DEFAULT 0    COMMENT 'seconds of head start',
  order_time             BIGINT       NOT NULL              COMMENT 'due from then on, smaller is sooner',
  crt_retry_num          INT          NOT NULL DEFAULT 0    COMMENT 'failures of the current stage',
  max_retry_num          INT          NULL     DEFAULT NULL COMMENT 'null: the type''s',
  max_retry_interval     INT          NULL     DEFAULT NULL COMMENT 'seconds, cap of the retry delay; null: the type''s',
  unexpected_num         INT          NOT NULL DEFAULT 0    COMMENT 'failures of the current stage that its handler did not report, where they have a limit',
  max_unexpected_retries INT          NULL     DEFAULT NULL COMMENT 'null: the type''s',
  lease_epoch            INT          NOT NULL DEFAULT 0    COMMENT 'counts the holds; every write after a hold names it',
  reported_epoch         INT          NOT NULL DEFAULT 0    COMMENT 'epoch of the last accepted report',
  report_id              VARCHAR(64)  NULL     DEFAULT NULL COMMENT 'id of the last accepted report',
  delivery_count         INT          NOT NULL DEFAULT 0    COMMENT 'holds in a row that ended with no accepted report',
  end_kind               TINYINT      NOT NULL DEFAULT 0    COMMENT 'what ended the last hold, or its lease: 1 an operator; 0 nothing, or anything else',
  worker_id              VARCHAR(64)  NOT NULL DEFAULT ''   COMMENT 'last holder; empty for an old client',
  trace_id               CHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'of the last hold',
  hold_time              BIGINT       NOT NULL DEFAULT 0    COMMENT 'last hold',
  beat_time              BIGINT       NOT NULL DEFAULT 0    COMMENT 'last heartbeat of the last hold, 0 if none',
  lease_end              BIGINT       NOT NULL DEFAULT 0    COMMENT 'end of the last lease',
  progress               TINYINT      NULL     DEFAULT NULL COMMENT 'per cent',
  create_time            BIGINT       NOT NULL,
  modify_time            BIGINT       NOT NULL,
  task_context           TEXT         NOT NULL              COMMENT 'input of the current stage',
  result                 TEXT         NULL,
  schedule_log           TEXT         NOT NULL              COMMENT 'what happened to it, for people',
  PRIMARY KEY (id),
  KEY idx_user (user_id),
  -- The waiting tasks of a stage and a lane as one range, in the order in which they are due. The empty lane costs one
  -- byte an entry. No other index may hold the status.
  KEY idx_claim (status, task_stage, lane, order_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row at most: the template that all task tables are known to have. A start with the same one looks at none of them.
CREATE TABLE t_task_upgrade (
  id                  TINYINT      NOT NULL DEFAULT 1 COMMENT 'always 1',
  template            CHAR(64)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 of its columns and keys',
  PRIMARY KEY (id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;


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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a report that created tasks and may be repeated: the repeat is answered with the same tasks. The row commits
-- with the report and its tasks.
CREATE TABLE t_report_create (
  task_number         BIGINT       NOT NULL COMMENT 'of the task whose hold was reported',
  lease_epoch         INT          NOT NULL COMMENT 'of that hold',
  task_ids            TEXT         CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'comma list, in the order of the report',
  expire_time         BIGINT       NOT NULL,
  PRIMARY KEY (task_number, lease_epoch),
  KEY idx_expire (expire_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a type with a max_executing or a rate_limit: claims of such a type lock it, one after the other. What
-- executes is counted from the tasks, so no counter can leak.
CREATE TABLE t_type_limit (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  spent_until         BIGINT       NOT NULL DEFAULT 0 COMMENT 'microseconds since 1970; the rate is spent up to then',
  PRIMARY KEY (task_type)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a user who has created tasks of a type with a user_rate_limit lately. Creates lock it.
CREATE TABLE t_user_limit (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  user_id             VARCHAR(128) NOT NULL,
  spent_until         BIGINT       NOT NULL DEFAULT 0 COMMENT 'microseconds since 1970; the rate is spent up to then',
  PRIMARY KEY (task_type, user_id),
  -- Rows that retention deletes.
  KEY idx_spent (spent_until)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;


-- Lanes: which workers may hold a task

-- One row a lane: a set of workers that tasks were made for.
CREATE TABLE t_lane (
  lane                VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'first digits of the SHA-256 of the sorted workers, salted if another set has them',
  workers             TEXT         NOT NULL COMMENT 'JSON: their ids, sorted',
  use_time            BIGINT       NOT NULL COMMENT 'when it was last asked for, to a day',
  PRIMARY KEY (lane)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The lanes of each worker; written with t_lane.
CREATE TABLE t_lane_worker (
  worker_id           VARCHAR(64)  NOT NULL,
  lane                VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (worker_id, lane),
  KEY idx_lane (lane)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The task tables that may have tasks in a lane: the lane stays while one of them can be read. Written before the first
-- such task.
CREATE TABLE t_lane_table (
  lane                VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  table_number        INT          NOT NULL,
  PRIMARY KEY (lane, task_type, table_number),
  KEY idx_table (task_type, table_number)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;


-- Jobs: one input, split into tasks that run side by side, merged in order; or a team: copies of one task, each on a
-- worker of its own

-- One row a job: its state, and how many of its children have ended. Children are counted in the transactions that
-- end them, so the last of them is known to be the last. What waits of a paused job is moved from status 1 to 32 in
-- pages, and back.
CREATE TABLE t_job (
  id                  BIGINT       NOT NULL COMMENT 'time-ordered, from the source of the task numbers',
  user_id             VARCHAR(128) NOT NULL,
  job_type            VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'task type of the split and the merge',
  child_type          VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'task type of the children',
  team                TEXT         NULL                  COMMENT 'JSON: what was asked for, without the context; null for a job that is no team',
  merges              TINYINT      NOT NULL DEFAULT 1    COMMENT '0: it succeeds with its children, without a merge',
  priority            INT          NOT NULL DEFAULT 0    COMMENT 'seconds of head start',
  fail_fast           TINYINT      NOT NULL DEFAULT 0    COMMENT '1: the first failed child ends the job',
  release_window      INT          NULL     DEFAULT NULL COMMENT 'most children in flight: tasks that have not ended; null: all at once',
  schedule_id         BIGINT       NULL     DEFAULT NULL COMMENT 'in t_schedule; null for a job that no schedule created',
  fire_time           BIGINT       NULL     DEFAULT NULL COMMENT 'of the schedule that created it',
  trace_parent        VARCHAR(55)  CHARACTER SET ascii COLLATE ascii_bin NULL DEFAULT NULL COMMENT 'W3C traceparent of the create; null: the call had none',
  idempotency_key     VARBINARY(128) NULL   DEFAULT NULL COMMENT 'ASCII',
  body_hash           BINARY(32)   NOT NULL              COMMENT 'SHA-256 of what was to be created',
  input_bytes         INT          NOT NULL,
  input_kept          TINYINT      NOT NULL DEFAULT 1    COMMENT '0: the input was deleted',
  state               VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SPLITTING, RUNNING, RETRYING, STOPPING, MERGING, SUCCESS, FAILED, CANCELLED',
  stop_as             VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'FAILED' COMMENT 'what STOPPING ends as',
  pause               TINYINT      NULL     DEFAULT NULL COMMENT '1 paused, 2 being resumed; null: neither',
  pause_cursor        INT          NOT NULL DEFAULT -1   COMMENT 'children below this index have been moved; -1: nor the split or the merge',
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
  -- Jobs that have ended: for retention, the audit and the metric. Inputs that retention deletes before the job.
  KEY idx_ended (job_type, end_time),
  KEY idx_input (input_kept, state, end_time),
  -- Jobs that are paused, or being resumed.
  KEY idx_pause (pause, state)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The input of a job, in parts: neither a packet nor a reader has to hold all of it.
CREATE TABLE t_job_input (
  job_id              BIGINT       NOT NULL,
  part                INT          NOT NULL COMMENT 'from 0',
  content             MEDIUMBLOB   NOT NULL COMMENT 'UTF-8; a character may continue in the next part',
  PRIMARY KEY (job_id, part)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The children of a job in their order, staged until they are tasks; afterwards it leads from a job to its tasks.
CREATE TABLE t_job_task (
  job_id              BIGINT       NOT NULL,
  idx                 INT          NOT NULL              COMMENT 'from 0',
  task_stage          VARCHAR(64)  NOT NULL,
  task_context        TEXT         NULL                  COMMENT 'null once it lies in the task',
  priority            INT          NULL     DEFAULT NULL COMMENT 'null: the job''s',
  worker_ids          TEXT         NULL                  COMMENT 'JSON; null: every worker may hold it, or it is a task by now',
  task_number         BIGINT       NULL     DEFAULT NULL COMMENT 'null while it is staged',
  table_number        INT          NULL     DEFAULT NULL,
  PRIMARY KEY (job_id, idx)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a worker that was ever given a copy of a team. The primary key keeps it from getting another one.
CREATE TABLE t_job_worker (
  job_id              BIGINT       NOT NULL,
  worker_id           VARCHAR(64)  NOT NULL,
  idx                 INT          NOT NULL           COMMENT 'of the copy',
  moved               TINYINT      NOT NULL DEFAULT 0 COMMENT '0 it has the copy; another one got it because 1 it fell silent, 2 the copy failed',
  PRIMARY KEY (job_id, worker_id),
  KEY idx_copy (job_id, idx)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a job that was deleted and has left rows in t_job_input or t_job_task: those go in pages, after the job.
CREATE TABLE t_job_gone (
  job_id              BIGINT       NOT NULL,
  PRIMARY KEY (job_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;


-- Schedules: tasks and jobs that come back at their fire times

-- One row a schedule: when it fires, what a fire creates, and what comes next. A fire happens once because of two
-- guards in the transaction that makes it: the fence of the schedule, and the primary key of the fire.
CREATE TABLE t_schedule (
  id                  BIGINT       NOT NULL COMMENT 'time-ordered, from the source of the task numbers',
  name                VARCHAR(128) NOT NULL,
  slice               SMALLINT     NOT NULL COMMENT 'CRC32(id) % 64, for ever',
  state               TINYINT      NOT NULL DEFAULT 1 COMMENT '1 active, 2 paused, 4 ended',
  version             BIGINT       NOT NULL COMMENT 'rises with every change by a caller, not with fires; begins with create_time, so that none comes again under a name',
  fence               BIGINT       NOT NULL DEFAULT 1 COMMENT 'rises with every write; guards what was planned with it',
  slice_epoch         BIGINT       NOT NULL DEFAULT 0 COMMENT 'of the last server that made fires of it; a lower one writes nothing',
  revision            INT          NOT NULL DEFAULT 0 COMMENT 'of the definition; a save with a lower one changes nothing',
  body_hash           BINARY(32)   NOT NULL           COMMENT 'SHA-256 of the definition; a save of an equal one writes nothing',
  cron                VARCHAR(256) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'or every_ms, or after_ms: one of the three',
  zone                VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'UTC' COMMENT 'of cron; an IANA id',
  every_ms            BIGINT       NULL     DEFAULT NULL,
  anchor              BIGINT       NULL     DEFAULT NULL COMMENT 'fires lie whole multiples of every_ms from it',
  after_ms            BIGINT       NULL     DEFAULT NULL COMMENT 'from the end of a run to the next fire',
  start_time          BIGINT       NULL     DEFAULT NULL COMMENT 'no fire before it',
  end_time            BIGINT       NULL     DEFAULT NULL COMMENT 'no fire from then on',
  max_fires           BIGINT       NULL     DEFAULT NULL COMMENT 'fires that created something; then the schedule ends',
  overlap             TINYINT      NOT NULL COMMENT 'while the last run lives: 1 allow, 2 skip, 3 wait, 4 replace',
  catch_up            TINYINT      NOT NULL COMMENT 'of fires that were missed: 1 latest, 2 none, 3 all',
  catch_up_ms         BIGINT       NOT NULL COMMENT 'older ones are missed for good',
  catch_up_limit      INT          NOT NULL COMMENT 'at most so many, the newest',
  jitter_ms           INT          NOT NULL COMMENT 'tasks are due up to so long after their fire time',
  pause_after         INT          NOT NULL COMMENT 'failed runs in a row after which it pauses itself; 0 never',
  weight              INT          NOT NULL COMMENT 'load of one fire',
  load_               INT          NOT NULL COMMENT 'fires an hour x weight, at least 1',
  target              TEXT         NOT NULL COMMENT 'JSON: taskData or jobData of a create',
  target_type         VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'task type of the tasks, or of the split of the jobs',
  target_is_job       TINYINT      NOT NULL,
  next_fire_time      BIGINT       NULL     DEFAULT NULL COMMENT 'first fire time that has no fate yet; null: none, or after the run that lives',
  wake_time           BIGINT       NULL     DEFAULT NULL COMMENT 'when its server looks at it; null: only an end of a run or a save wakes it',
  fire_count          BIGINT       NOT NULL DEFAULT 0    COMMENT 'fires that created something',
  fail_streak         INT          NOT NULL DEFAULT 0    COMMENT 'failed runs in a row',
  last_fire_time      BIGINT       NULL     DEFAULT NULL COMMENT 'of the last fire that created something by plan',
  last_run            VARCHAR(96)  CHARACTER SET ascii COLLATE ascii_bin NULL DEFAULT NULL COMMENT 'id of the task or of the job that the fire of last_fire_time created',
  last_error          VARCHAR(1000) NULL    DEFAULT NULL COMMENT 'why the last fire created nothing, or its run failed',
  pause_until         BIGINT       NULL     DEFAULT NULL COMMENT 'a paused one resumes by itself then',
  create_time         BIGINT       NOT NULL,
  modify_time         BIGINT       NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uk_name (name),
  -- What is due in a slice, in its order.
  KEY idx_wake (slice, wake_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What each t_schedule_fire_{yyyymmdd} looks like, one row a fire, in the table of the UTC day of its fire time;
-- always empty itself. Days are made ahead and dropped whole, so history costs no deletes.
CREATE TABLE t_schedule_fire_template (
  schedule_id         BIGINT       NOT NULL,
  fire_time           BIGINT       NOT NULL,
  outcome             TINYINT      NOT NULL COMMENT '1 created, 2 skipped, 3 withdrawn, 4 refused',
  manual              TINYINT      NOT NULL DEFAULT 0    COMMENT '1: by trigger or backfill, beside the plan',
  make_time           BIGINT       NOT NULL,
  task_number         BIGINT       NULL     DEFAULT NULL COMMENT 'null where there is no task',
  table_number        INT          NULL     DEFAULT NULL,
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NULL DEFAULT NULL,
  job_id              BIGINT       NULL     DEFAULT NULL COMMENT 'null where there is no job',
  node                VARCHAR(64)  NOT NULL COMMENT 'owner in t_server_number that made it',
  slice_epoch         BIGINT       NOT NULL,
  end_status          TINYINT      NULL     DEFAULT NULL COMMENT 'final status of the task or the job; null while it lives',
  end_time            BIGINT       NULL     DEFAULT NULL,
  PRIMARY KEY (schedule_id, fire_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a stretch of fire times that made nothing, so that each fire time has a fate.
CREATE TABLE t_schedule_gap (
  schedule_id         BIGINT       NOT NULL,
  from_time           BIGINT       NOT NULL COMMENT 'first fire time',
  to_time             BIGINT       NOT NULL COMMENT 'last fire time',
  fires               INT          NOT NULL,
  reason              TINYINT      NOT NULL COMMENT '1 missed, 2 merged into a later run, 3 paused',
  PRIMARY KEY (schedule_id, from_time),
  KEY idx_to (to_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a slice: the server that looks at the schedules of the slice. Nothing that must be right depends on it.
CREATE TABLE t_schedule_slice (
  slice               SMALLINT     NOT NULL,
  owner               VARCHAR(64)  NOT NULL DEFAULT '' COMMENT 'in t_server_number; empty before the first one',
  epoch               BIGINT       NOT NULL DEFAULT 0  COMMENT 'rises with every change of the owner',
  lease_end           BIGINT       NOT NULL DEFAULT 0,
  take_time           BIGINT       NOT NULL DEFAULT 0  COMMENT 'since when the owner has it',
  load_               BIGINT       NOT NULL DEFAULT 0  COMMENT 'sum of load_ of its active schedules, as of the last minute',
  schedules           INT          NOT NULL DEFAULT 0  COMMENT 'active ones, as of the last minute',
  PRIMARY KEY (slice)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO t_schedule_slice (slice)
SELECT tens.n * 8 + ones.n
FROM (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3
      UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7) tens
CROSS JOIN (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3
            UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7) ones;


-- Events and hooks

-- What each t_event_{yyyymmdd} looks like, one row an event, in the table of the UTC day of its transaction; always
-- empty itself. An event is a transition of a task, a job or a schedule, kept for those who follow along. The ids of a
-- day begin at its number of days since 1970 times 10^12, so that ids rise over all days.
CREATE TABLE t_event_template (
  id                  BIGINT        NOT NULL AUTO_INCREMENT,
  event_time          BIGINT        NOT NULL,
  kind                TINYINT       NOT NULL COMMENT 'code of EventKind',
  task_type           VARCHAR(31)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case; of a job, its jobType; of a schedule, its target type',
  body                VARCHAR(2000) NOT NULL COMMENT 'JSON: the other fields of the event',
  PRIMARY KEY (id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a hook, a URL to which events are sent: where to, which events, how far it has come. A delivery is a task of
-- the type flow_webhook.
CREATE TABLE t_hook (
  id                  BIGINT       NOT NULL COMMENT 'time-ordered, from the source of the task numbers; its stage is hook-{id}',
  name                VARCHAR(128) NULL     COMMENT 'null for a deleted one, whose last tasks are being ended',
  url                 VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  task_types          VARCHAR(2100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'with commas; empty: events of all types',
  kinds               VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'with commas; empty: events of all kinds',
  state               TINYINT      NOT NULL COMMENT '1 active, 2 paused, 4 disabled, 8 deleted',
  secret              VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'whsec_…, signs the deliveries',
  old_secret          VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'the one before, which signs beside it until old_secret_end',
  old_secret_end      BIGINT       NOT NULL DEFAULT 0,
  cursor_             BIGINT       NOT NULL COMMENT 'id of the last event that was looked at; moved in the commit of the tasks',
  fail_since          BIGINT       NULL     COMMENT 'first failure after the last success; null after a success',
  last_error          VARCHAR(1000) NOT NULL DEFAULT '' COMMENT 'of the last failure',
  create_time         BIGINT       NOT NULL,
  modify_time         BIGINT       NOT NULL COMMENT 'of the last change by a caller',
  PRIMARY KEY (id),
  UNIQUE KEY uk_name (name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;


-- Servers and workers

-- One row a server number, which makes the numbers of tasks unique. It is lent for a while, never to two servers at
-- once; keeping it is the heartbeat of a server, which also says what the server may carry of the schedules.
CREATE TABLE t_server_number (
  server_number       INT          NOT NULL,
  owner               VARCHAR(64)  NOT NULL             COMMENT 'random per process',
  host                VARCHAR(255) NOT NULL DEFAULT ''  COMMENT 'of the owner, for people',
  version             VARCHAR(64)  NOT NULL DEFAULT ''  COMMENT 'of the server program',
  start_time          BIGINT       NOT NULL DEFAULT 0   COMMENT 'when the owner borrowed it',
  lease_end           BIGINT       NOT NULL             COMMENT 'after it the number may be lent again',
  beat_time           BIGINT       NOT NULL DEFAULT 0   COMMENT 'last write of this row by an owner',
  database_node       VARCHAR(255) NOT NULL DEFAULT ''  COMMENT 'the database server that the owner writes to; empty before its first beat',
  database_since      BIGINT       NOT NULL DEFAULT 0   COMMENT 'when the owner began to write to it',
  id_step             VARCHAR(50)  NOT NULL DEFAULT ''  COMMENT 'increment and offset of AUTO_INCREMENT as an owner saw them last; empty before',
  id_step_since       BIGINT       NOT NULL DEFAULT 0   COMMENT 'after it no server used another step, as far as the owner knows',
  id_time_limit       BIGINT       NOT NULL             COMMENT 'the owner makes no id with a later time, the next owner none with an earlier one',
  schedule_weight     INT          NOT NULL DEFAULT 100 COMMENT 'its share of the load, beside the weights of the others; 0 none',
  busy                TINYINT      NOT NULL DEFAULT 0   COMMENT 'per cent of the last minute that it spent making fires',
  PRIMARY KEY (server_number)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a time of six seconds or longer in which no server wrote its row of t_server_number, recorded by the first
-- write after it: no worker could be heard in it, so leases that ran out then are no sign that a worker has died. One
-- row each, because the grace of a lease is that of the first one that concerns it.
CREATE TABLE t_write_outage (
  start_time          BIGINT       NOT NULL COMMENT 'last write before it',
  end_time            BIGINT       NOT NULL COMMENT 'first write after it',
  PRIMARY KEY (start_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a role: the server that has it. One runs the governance duties that only one should run, one alters the task
-- tables at its start.
CREATE TABLE t_leader (
  role                VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  leader              VARCHAR(64)  NOT NULL COMMENT 'owner in t_server_number; empty before the first term',
  term                BIGINT       NOT NULL COMMENT 'rises with every change of leader',
  lease_end           BIGINT       NOT NULL COMMENT 'after it another server may take over',
  PRIMARY KEY (role)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The writer is that node of a Galera cluster to which all servers write; it has no lease.
INSERT INTO t_leader (role, leader, term, lease_end)
VALUES ('governance', '', 0, 0), ('table-changes', '', 0, 0), ('writer', '', 0, 0);

-- One row a governance duty: its last run, whichever server ran it, and the last one that did something, since most
-- runs find nothing to do.
CREATE TABLE t_duty_run (
  duty                VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  node                VARCHAR(64)  NOT NULL COMMENT 'owner in t_server_number',
  run_time            BIGINT       NOT NULL COMMENT 'end of the last run',
  cost_ms             BIGINT       NOT NULL,
  result              TEXT         NOT NULL COMMENT 'JSON',
  error               TEXT         NULL,
  effect_time         BIGINT       NULL     DEFAULT NULL COMMENT 'end of the last run that did something',
  effect              TEXT         NULL                  COMMENT 'JSON; its result',
  PRIMARY KEY (duty)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

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
  beat_time           BIGINT       NOT NULL            COMMENT 'last sign of life: a beat, or a hold',
  drain               TINYINT      NOT NULL DEFAULT 0  COMMENT '1: this start of it was told to finish and leave',
  drain_grace         BIGINT       NULL     DEFAULT NULL COMMENT 'ms after which a drained worker interrupts what it runs; null: never',
  PRIMARY KEY (worker_id),
  -- Lists begin with the worker heard of last, and the longest silent are forgotten first.
  KEY idx_beat (beat_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The stages that each worker serves, as its last heartbeat with a description named them; goes with its t_worker row.
CREATE TABLE t_worker_stage (
  worker_id           VARCHAR(64)  NOT NULL,
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  task_stage          VARCHAR(64)  NOT NULL,
  PRIMARY KEY (worker_id, task_type, task_stage),
  KEY idx_stage (task_type, task_stage)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;


-- What people do: pauses, bulks, and the record of acts

-- One row a paused type, stage or worker. t_schedule_cfg.paused stays the truth of a type: without it the row of a
-- type is ignored, and with it the row says who paused the type and until when.
CREATE TABLE t_pause (
  kind                TINYINT      NOT NULL COMMENT '1 type, 2 stage, 3 worker',
  name                VARCHAR(160) NOT NULL COMMENT 'type, type/stage, or worker id; a type in lower case',
  until_time          BIGINT       NULL     DEFAULT NULL COMMENT 'ends by itself then; null: only by a clear',
  operator            VARCHAR(128) NOT NULL DEFAULT '',
  reason              VARCHAR(1000) NOT NULL DEFAULT '',
  pause_time          BIGINT       NOT NULL,
  PRIMARY KEY (kind, name),
  -- Pauses whose time has come.
  KEY idx_until (until_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a bulk: one act on all tasks that match a search. A preview is a row already, so any server can start what
-- another one has shown.
CREATE TABLE t_bulk (
  id                  BIGINT        NOT NULL,
  state               VARCHAR(16)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'PREVIEWED, RUNNING, STOPPED, DONE, FAILED',
  token_hash          BINARY(32)    NOT NULL COMMENT 'SHA-256 of the token, with which the preview is started',
  act                 VARCHAR(16)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'RETRY, CANCEL, ...',
  arguments           TEXT          NOT NULL COMMENT 'JSON: status, runAt, priority',
  filter              TEXT          NOT NULL COMMENT 'JSON: the fields of the search, as they were previewed',
  preview_time        BIGINT        NOT NULL COMMENT 'the times in the filter are relative to it; what was created or changed later is left alone',
  preview_end         BIGINT        NOT NULL COMMENT 'until when it can be started',
  expected            INT           NOT NULL COMMENT 'how many tasks the preview has found',
  is_exact            TINYINT       NOT NULL COMMENT 'whether these were all',
  cap                 INT           NOT NULL COMMENT 'the bulk ends after so many acts',
  principal           VARCHAR(160)  NOT NULL COMMENT 'in whose name it acts, and whose scope it has',
  granted             TEXT          NULL     COMMENT 'JSON: what its token granted; null where the key says it',
  actor_ip            VARBINARY(16) NULL,
  trace_id            CHAR(32)      CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'of the request that started it',
  operator            VARCHAR(128)  NOT NULL DEFAULT '',
  reason              VARCHAR(1000) NOT NULL DEFAULT '',
  position            VARCHAR(64)   NULL     COMMENT 'the cursor after the last page; null at the begin',
  pages               INT           NOT NULL DEFAULT 0 COMMENT 'each page expects the number of those before it',
  epoch               BIGINT        NOT NULL DEFAULT 0 COMMENT 'the term of the leader that goes on with it',
  looked              BIGINT        NOT NULL DEFAULT 0,
  done                INT           NOT NULL DEFAULT 0,
  skipped             INT           NOT NULL DEFAULT 0,
  refused             INT           NOT NULL DEFAULT 0,
  refusals            TEXT          NOT NULL COMMENT 'JSON: the first 20',
  error               VARCHAR(1000) NOT NULL DEFAULT '' COMMENT 'why it failed',
  start_time          BIGINT        NULL,
  stopped_ms          BIGINT        NOT NULL DEFAULT 0 COMMENT 'for how long it was stopped until its last resume; its rate leaves this time out',
  modify_time         BIGINT        NOT NULL,
  end_time            BIGINT        NULL,
  PRIMARY KEY (id),
  KEY idx_state (state, preview_end),
  KEY idx_end (end_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row an act by hand, on whatever object: who did what, and why. Listed by time, by object, by actor and by act.
CREATE TABLE t_act (
  id                  BIGINT       NOT NULL AUTO_INCREMENT,
  act_time            BIGINT       NOT NULL,
  act                 VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  object              VARCHAR(192) NOT NULL            COMMENT 'schedule:{id}, …',
  task_id             VARCHAR(96)  CHARACTER SET ascii COLLATE ascii_bin NULL DEFAULT NULL,
  operator            VARCHAR(128) NOT NULL DEFAULT '' COMMENT 'as the caller names itself',
  reason              VARCHAR(1000) NOT NULL DEFAULT '',
  actor               VARCHAR(160) NOT NULL DEFAULT '' COMMENT 'authenticated; empty where there are no keys',
  actor_ip            VARBINARY(16) NULL DEFAULT NULL,
  source              VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'api',
  status_before       TINYINT      NULL DEFAULT NULL,
  status_after        TINYINT      NULL DEFAULT NULL,
  new_task_id         VARCHAR(96)  CHARACTER SET ascii COLLATE ascii_bin NULL DEFAULT NULL,
  detail              TEXT         NULL                COMMENT 'JSON: what changed, before and after',
  trace_id            CHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  KEY idx_act_time (act_time),
  KEY idx_object_time (object, act_time),
  KEY idx_actor (actor, act_time),
  KEY idx_act (act, act_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The chain that seals the order of acts. One row an act that is older than 100 s: by then no transaction is under way
-- that could commit an act with a lower id. INSERT only, but for retention, which deletes the oldest rows of both
-- tables and leaves the chain of the last of them.
CREATE TABLE t_act_chain (
  to_id               BIGINT       NOT NULL COMMENT 'id of the act in t_act',
  chain               BINARY(32)   NOT NULL COMMENT 'SHA-256 of the chain before and of this act',
  close_time          BIGINT       NOT NULL COMMENT 'epoch ms at which the leader wrote this row',
  PRIMARY KEY (to_id),
  KEY idx_close_time (close_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a copy that an act made of a task: which task it is a copy of. It stays as long as the copy, whose context
-- may name what the original has stored.
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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;


-- Access: who may call the servers, and what each caller may do

-- One row a key, read only in mode FLOW_ACCESS=keys; rows are never deleted. A row is under its seal but for
-- last_used_time: whoever changes it by SQL ends the key, where there is a pepper.
CREATE TABLE t_access_key (
  key_id              CHAR(10)      CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'public part of the key',
  name                VARCHAR(128)  NOT NULL COMMENT 'for people; unique among live keys that have no successor',
  key_hash            BINARY(32)    NOT NULL COMMENT 'SHA-256 of the secret part',
  seal                BINARY(32)    NULL     COMMENT 'HMAC-SHA-256 of the other columns under the pepper; null without a pepper',
  roles               VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'with commas',
  types               VARCHAR(4000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'with commas, names and beginnings (acme_*); * for all',
  stages              VARCHAR(4000) NOT NULL COMMENT 'JSON list; * for all',
  users               VARCHAR(4000) NOT NULL COMMENT 'JSON list of ids and beginnings (acme/*); * for all',
  worker_prefix       VARCHAR(64)   NOT NULL COMMENT 'its worker ids begin so',
  cert_san            VARCHAR(255)  CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'URI or DNS name in the TLS certificate of its clients; null: they need none',
  rate_limit          INT           NOT NULL DEFAULT 0 COMMENT 'requests a second and server; 0: no limit',
  created_by          VARCHAR(160)  NOT NULL COMMENT 'the caller that made it: key:{id}, env:FLOW_API_KEY, local, cli:direct',
  create_time         BIGINT        NOT NULL,
  not_before          BIGINT        NOT NULL DEFAULT 0 COMMENT 'it is not live before this time',
  expire_time         BIGINT        NOT NULL,
  revoke_time         BIGINT        NULL,
  revoke_reason       VARCHAR(1000) NULL,
  replaced_by         CHAR(10)      CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'key_id of the successor that a rotation made',
  last_used_time      BIGINT        NULL     COMMENT 'written once a minute for all keys together',
  PRIMARY KEY (key_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row: each change of keys adds one to version in its transaction, so servers see by one small read that they must
-- read the keys again, and changes of keys follow one another.
CREATE TABLE t_access_version (
  one                 TINYINT       NOT NULL,
  version             BIGINT        NOT NULL,
  PRIMARY KEY (one)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO t_access_version (one, version) VALUES (1, 1);

-- One row a caller who is refused before its tokens of an issuer end; its change adds one to t_access_version.
CREATE TABLE t_access_denied (
  principal           VARCHAR(160)  NOT NULL COMMENT 'oidc:{iss}#{sub}',
  until_time          BIGINT        NOT NULL,
  PRIMARY KEY (principal)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a session: a person who has exchanged a key or a token for a cookie. Any server answers any of its requests.
-- The log-out deletes it; each log-in deletes those whose end has passed.
CREATE TABLE t_session (
  id_hash             BINARY(32)    NOT NULL COMMENT 'SHA-256 of the id, which the browser alone has',
  principal           VARCHAR(160)  NOT NULL COMMENT 'the caller that logged in: key:{id}, env:FLOW_API_KEY, oidc:{iss}#{sub}',
  granted             TEXT          NULL     COMMENT 'JSON: what the token granted; null where the key says it',
  seal                BINARY(32)    NULL     COMMENT 'HMAC-SHA-256 of the id and of the columns but last_used_time, under the pepper or FLOW_API_KEY; null without a pepper',
  create_time         BIGINT        NOT NULL,
  expire_time         BIGINT        NOT NULL,
  last_used_time      BIGINT        NOT NULL COMMENT 'written once a minute at most',
  PRIMARY KEY (id_hash),
  KEY idx_principal (principal, expire_time),
  KEY idx_expire (expire_time)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;


-- Numbers for people: throughput, latencies and failures; nothing is decided by them, and a crash loses seconds of them

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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
