-- The lowest version of the workers whose holds get tasks of a type.
ALTER TABLE t_schedule_cfg
  ADD COLUMN min_worker_version INT NOT NULL DEFAULT 0 COMMENT 'lowest version of a worker that gets tasks; 0 for any';
