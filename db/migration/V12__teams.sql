-- Teams: jobs of copies of one task, each on a worker of its own.

ALTER TABLE t_job
  ADD COLUMN merges TINYINT NOT NULL DEFAULT 1 COMMENT '0: it succeeds with its children, without a merge',
  ADD COLUMN team TEXT NULL COMMENT 'JSON: what was asked for, without the context; null for a job that is no team';

ALTER TABLE t_task_template
  ADD COLUMN job_copies INT NULL DEFAULT NULL COMMENT 'of a copy of a team, how many there are; null for all other tasks';

-- One row a worker that was ever given a copy of a team. The primary key keeps it from getting another one.
CREATE TABLE t_job_worker (
  job_id              BIGINT       NOT NULL,
  worker_id           VARCHAR(64)  NOT NULL,
  idx                 INT          NOT NULL           COMMENT 'of the copy',
  moved               TINYINT      NOT NULL DEFAULT 0 COMMENT '0 it has the copy; another one got it because 1 it fell silent, 2 the copy failed',
  PRIMARY KEY (job_id, worker_id),
  KEY idx_copy (job_id, idx)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The stages that each worker serves, as its last heartbeat with a description named them; goes with its t_worker row.
CREATE TABLE t_worker_stage (
  worker_id           VARCHAR(64)  NOT NULL,
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  task_stage          VARCHAR(64)  NOT NULL,
  PRIMARY KEY (worker_id, task_type, task_stage),
  KEY idx_stage (task_type, task_stage)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
