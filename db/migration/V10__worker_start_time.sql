-- Servers write beats some seconds after they came: one of an earlier start may be written last.
ALTER TABLE t_worker
  ADD COLUMN start_time BIGINT NOT NULL DEFAULT 0 COMMENT 'ms; last beat that named start_id';
