-- Windows of jobs: at most so many children of a job are tasks that have not ended.
ALTER TABLE t_job
  ADD COLUMN release_window INT NULL DEFAULT NULL COMMENT 'most children in flight: tasks that have not ended; null: all at once';
