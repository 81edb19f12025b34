-- Whether contexts, results and inputs of a type must be sealed by a codec of its clients.
ALTER TABLE t_schedule_cfg
  ADD COLUMN sealed TINYINT NOT NULL DEFAULT 0 COMMENT '1 texts must be sealed, 0 either way, -1 they must not';
