-- Failures that a handler did not report: it threw, or ran out of time. Where they have a limit, they have a count of
-- their own.

ALTER TABLE t_schedule_cfg
  ADD COLUMN max_unexpected_retries INT NULL DEFAULT NULL COMMENT 'retries of a stage after failures that its handler did not report; null: they count as retries of max_retry_num';

ALTER TABLE t_task_template
  ADD COLUMN unexpected_num         INT NOT NULL DEFAULT 0 COMMENT 'failures of the current stage that its handler did not report, where they have a limit',
  ADD COLUMN max_unexpected_retries INT NULL DEFAULT NULL  COMMENT 'null: the type''s';
