-- One row a report that created tasks and may be repeated: the repeat is answered with the same tasks. The row commits
-- with the report and its tasks.
CREATE TABLE t_report_create (
  task_number         BIGINT       NOT NULL COMMENT 'of the task whose hold was reported',
  lease_epoch         INT          NOT NULL COMMENT 'of that hold',
  task_ids            TEXT         CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'comma list, in the order of the report',
  expire_time         BIGINT       NOT NULL,
  PRIMARY KEY (task_number, lease_epoch),
  KEY idx_expire (expire_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
