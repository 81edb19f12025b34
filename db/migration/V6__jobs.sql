-- Jobs: one input, split into tasks that run side by side, merged in order.

-- Which job a task is part of. No index: whoever wants the tasks of a job reads t_job_task.
ALTER TABLE t_task_template
  ADD COLUMN job_id    BIGINT NULL DEFAULT NULL COMMENT 'in t_job; null for a task of its own',
  ADD COLUMN job_index INT    NULL DEFAULT NULL COMMENT 'among the children, from 0; -1 the split, -2 the merge';

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
  state               VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  stop_as             VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'FAILED' COMMENT 'what STOPPING ends as',
  split_number        BIGINT       NOT NULL              COMMENT 'number of the task that splits it',
  split_table         INT          NOT NULL,
  staged              INT          NOT NULL DEFAULT 0    COMMENT 'children that the split has sent so far',
  staged_epoch        INT          NOT NULL DEFAULT 0    COMMENT 'the hold of the split that sent them',
  total               INT          NULL     DEFAULT NULL COMMENT 'children; null until the split has reported',
  released            INT          NOT NULL DEFAULT 0    COMMENT 'children below this index are tasks',
  revived             INT          NOT NULL DEFAULT 0    COMMENT 'how far a retry has come',
  done                INT          NOT NULL DEFAULT 0    COMMENT 'children with status 4',
  failed              INT          NOT NULL DEFAULT 0    COMMENT 'children with status 8',
  cancelled           INT          NOT NULL DEFAULT 0    COMMENT 'children with status 16',
  merge_number        BIGINT       NULL     DEFAULT NULL COMMENT 'number of the task that merges it; null until there is one',
  merge_table         INT          NULL     DEFAULT NULL,
  result              TEXT         NULL                  COMMENT 'of the merge',
  err_msg             VARCHAR(1000) NULL    DEFAULT NULL COMMENT 'why the split or the merge failed',
  run_time            BIGINT       NULL     DEFAULT NULL COMMENT 'ms; when its children began to run, last',
  run_base            INT          NOT NULL DEFAULT 0    COMMENT 'children that had ended by then',
  version             BIGINT       NOT NULL DEFAULT 1    COMMENT 'rises with every change',
  create_time         BIGINT       NOT NULL,
  modify_time         BIGINT       NOT NULL,
  end_time            BIGINT       NULL     DEFAULT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uk_key (job_type, idempotency_key),
  KEY idx_user (user_id),
  KEY idx_state (state)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- In parts, so that neither a packet nor a reader has to hold all of it.
CREATE TABLE t_job_input (
  job_id              BIGINT       NOT NULL,
  part                INT          NOT NULL,
  content             MEDIUMBLOB   NOT NULL COMMENT 'UTF-8; a character may continue in the next part',
  PRIMARY KEY (job_id, part)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The children of a job in their order: staged until they are tasks.
CREATE TABLE t_job_task (
  job_id              BIGINT       NOT NULL,
  idx                 INT          NOT NULL COMMENT 'from 0',
  task_stage          VARCHAR(64)  NOT NULL,
  task_context        TEXT         NULL     COMMENT 'null once it lies in the task',
  priority            INT          NULL     DEFAULT NULL,
  task_number         BIGINT       NULL     DEFAULT NULL COMMENT 'null while it is staged',
  table_number        INT          NULL     DEFAULT NULL,
  PRIMARY KEY (job_id, idx)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
