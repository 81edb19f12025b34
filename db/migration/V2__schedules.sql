-- Schedules: tasks and jobs that come back at their fire times.
--
-- A fire happens once because of two guards in the transaction that makes it: the fence of the schedule, and the
-- primary key of the fire. Slices only say which server looks at which schedules; nothing that must be right
-- depends on them.


-- One row a schedule: when it fires, what a fire creates, and what comes next.
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
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

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
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a stretch of fire times that made nothing, so that each fire time has a fate.
CREATE TABLE t_schedule_gap (
  schedule_id         BIGINT       NOT NULL,
  from_time           BIGINT       NOT NULL COMMENT 'first fire time',
  to_time             BIGINT       NOT NULL COMMENT 'last fire time',
  fires               INT          NOT NULL,
  reason              TINYINT      NOT NULL COMMENT '1 missed, 2 merged into a later run, 3 paused',
  PRIMARY KEY (schedule_id, from_time),
  KEY idx_to (to_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a slice: the server that looks at the schedules of the slice. Safety does not depend on it.
CREATE TABLE t_schedule_slice (
  slice               SMALLINT     NOT NULL,
  owner               VARCHAR(64)  NOT NULL DEFAULT '' COMMENT 'in t_server_number; empty before the first one',
  epoch               BIGINT       NOT NULL DEFAULT 0  COMMENT 'rises with every change of the owner',
  lease_end           BIGINT       NOT NULL DEFAULT 0,
  candidate           VARCHAR(64)  NOT NULL DEFAULT '' COMMENT 'the server that shall have it next',
  candidate_time      BIGINT       NOT NULL DEFAULT 0  COMMENT 'when it asked for it',
  take_time           BIGINT       NOT NULL DEFAULT 0  COMMENT 'since when the owner has it',
  load_               BIGINT       NOT NULL DEFAULT 0  COMMENT 'sum of load_ of its active schedules, as of the last minute',
  schedules           INT          NOT NULL DEFAULT 0  COMMENT 'active ones, as of the last minute',
  PRIMARY KEY (slice)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT IGNORE INTO t_schedule_slice (slice)
SELECT tens.n * 8 + ones.n
FROM (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3
      UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7) tens
CROSS JOIN (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3
            UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7) ones;

-- What a server may carry of the schedules, beside the row that keeps its number.
ALTER TABLE t_server_number
  ADD COLUMN version         VARCHAR(64) NOT NULL DEFAULT ''  COMMENT 'of the server program',
  ADD COLUMN schedule_weight INT         NOT NULL DEFAULT 100 COMMENT 'its share of the load, beside the weights of the others; 0 none',
  ADD COLUMN max_load        BIGINT      NOT NULL DEFAULT 0   COMMENT 'the most load it takes; 0 no limit',
  ADD COLUMN busy            TINYINT     NOT NULL DEFAULT 0   COMMENT 'per cent of the last minute that it spent making fires';

-- The fire that created a task or a job; null for all others, which cost nothing by it.
ALTER TABLE t_task_template
  ADD COLUMN schedule_id BIGINT NULL DEFAULT NULL COMMENT 'in t_schedule; null for a task that no schedule created',
  ADD COLUMN fire_time   BIGINT NULL DEFAULT NULL COMMENT 'of the schedule that created it';

ALTER TABLE t_job
  ADD COLUMN schedule_id BIGINT NULL DEFAULT NULL COMMENT 'in t_schedule; null for a job that no schedule created',
  ADD COLUMN fire_time   BIGINT NULL DEFAULT NULL COMMENT 'of the schedule that created it';

-- One row an act of an operator on anything but a task's copies: who did what, and why.
CREATE TABLE t_act (
  id                  BIGINT       NOT NULL AUTO_INCREMENT,
  act_time            BIGINT       NOT NULL,
  act                 VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  object              VARCHAR(128) NOT NULL           COMMENT 'schedule:{id}, …',
  task_id             VARCHAR(96)  CHARACTER SET ascii COLLATE ascii_bin NULL DEFAULT NULL,
  operator            VARCHAR(128) NOT NULL DEFAULT '' COMMENT 'as the caller names itself',
  reason              VARCHAR(1000) NOT NULL DEFAULT '',
  actor               VARCHAR(160) NOT NULL DEFAULT '' COMMENT 'authenticated; empty where there are no keys',
  actor_ip            VARBINARY(16) NULL DEFAULT NULL,
  source              VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'api',
  status_before       TINYINT      NULL DEFAULT NULL,
  status_after        TINYINT      NULL DEFAULT NULL,
  new_task_id         VARCHAR(96)  CHARACTER SET ascii COLLATE ascii_bin NULL DEFAULT NULL,
  detail              TEXT         NULL               COMMENT 'JSON: what changed, before and after',
  trace_id            CHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  KEY idx_object (object),
  KEY idx_act_time (act_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
