-- Who leads, who works, what governance did, and what operators did.

-- A server that holds a number is a node; keeping the number is its heartbeat.
ALTER TABLE t_server_number
  ADD COLUMN host       VARCHAR(255) NOT NULL DEFAULT '' COMMENT 'of the owner, for people',
  ADD COLUMN start_time BIGINT       NOT NULL DEFAULT 0  COMMENT 'ms; when the owner borrowed it';

-- One row: the node that runs the jobs that only one should run.
CREATE TABLE t_leader (
  role                VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  leader              VARCHAR(64)  NOT NULL COMMENT 'owner in t_server_number; empty before the first term',
  term                BIGINT       NOT NULL COMMENT 'rises with every change of leader',
  lease_end           BIGINT       NOT NULL COMMENT 'ms; after it another node may take over',
  PRIMARY KEY (role)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO t_leader (role, leader, term, lease_end) VALUES ('governance', '', 0, 0);

-- The last run of each governance job, whichever node ran it.
CREATE TABLE t_governance_job (
  job                 VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  node                VARCHAR(64)  NOT NULL,
  run_time            BIGINT       NOT NULL COMMENT 'ms; end of the run',
  cost_ms             BIGINT       NOT NULL,
  result              TEXT         NOT NULL COMMENT 'JSON',
  error               TEXT         NULL,
  PRIMARY KEY (job)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE t_worker (
  worker_id           VARCHAR(64)  NOT NULL,
  host                VARCHAR(255) NOT NULL DEFAULT '',
  sdk_version         VARCHAR(64)  NOT NULL DEFAULT '',
  description         TEXT         NOT NULL COMMENT 'JSON: types, stages, labels, free slots, states',
  held_tasks          INT          NOT NULL DEFAULT 0,
  first_time          BIGINT       NOT NULL COMMENT 'ms; first beat',
  beat_time           BIGINT       NOT NULL COMMENT 'ms; last beat',
  drain               TINYINT      NOT NULL DEFAULT 0 COMMENT '1: told to finish and leave',
  PRIMARY KEY (worker_id),
  KEY idx_beat (beat_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What operators did to tasks, one row an act.
CREATE TABLE t_audit (
  id                  BIGINT       NOT NULL AUTO_INCREMENT,
  act_time            BIGINT       NOT NULL COMMENT 'ms',
  act                 VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  task_id             VARCHAR(96)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  operator            VARCHAR(128) NOT NULL DEFAULT '',
  reason              VARCHAR(1000) NOT NULL DEFAULT '',
  status_before       TINYINT      NOT NULL,
  status_after        TINYINT      NOT NULL,
  new_task_id         VARCHAR(96)  CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'the copy, if one was made',
  PRIMARY KEY (id),
  KEY idx_task (task_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
