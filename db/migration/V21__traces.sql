-- The trace of a distributed system to which a task belongs: that of the call that created it.
ALTER TABLE t_task_template
  ADD COLUMN trace_parent VARCHAR(55) CHARACTER SET ascii COLLATE ascii_bin NULL DEFAULT NULL COMMENT 'W3C traceparent of the create; null: the call had none';

-- For the tasks of the job.
ALTER TABLE t_job
  ADD COLUMN trace_parent VARCHAR(55) CHARACTER SET ascii COLLATE ascii_bin NULL DEFAULT NULL COMMENT 'W3C traceparent of the create; null: the call had none';
