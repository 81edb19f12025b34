-- Jobs are deleted some days after they have ended, and inputs that nobody needs any more before that.
ALTER TABLE t_job
  ADD COLUMN input_kept TINYINT NOT NULL DEFAULT 1 COMMENT '0: the input was deleted',
  ADD KEY idx_ended (job_type, end_time),
  ADD KEY idx_input (input_kept, state, end_time);

-- Jobs that are no more, and of which rows are left in t_job_input and t_job_task.
CREATE TABLE t_job_gone (
  job_id              BIGINT       NOT NULL,
  PRIMARY KEY (job_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

ALTER TABLE t_audit
  ADD KEY idx_act_time (act_time);
