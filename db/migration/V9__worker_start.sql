-- Which start of a worker was heard of last: a drain is for that one, and not for the next.
ALTER TABLE t_worker
  ADD COLUMN start_id VARCHAR(64) NOT NULL DEFAULT '' COMMENT 'as its beats name it; empty if they do not';
