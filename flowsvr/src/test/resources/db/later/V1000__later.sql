-- A migration as a later version may bring it, for tests alone: a statement of each kind.

CREATE TABLE t_weight (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  weight              INT          NOT NULL DEFAULT 1,
  PRIMARY KEY (task_type)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO t_weight (task_type, weight) VALUES ('lark', 7);

-- Fixed tables.
ALTER TABLE t_worker
  ADD COLUMN zone VARCHAR(64) NOT NULL DEFAULT '',
  ADD KEY idx_zone (zone);

ALTER TABLE t_audit
  DROP KEY idx_act_time;

ALTER TABLE t_act
  ADD KEY idx_operator (operator, act_time),
  DROP KEY idx_actor;

ALTER TABLE t_act
  MODIFY object VARCHAR(200) NOT NULL;

DELETE FROM t_type_limit WHERE spent_until = 0;

-- The task tables of all families.
ALTER TABLE t_task_template
  ADD COLUMN batch_id BIGINT NULL DEFAULT NULL AFTER user_id,
  ADD COLUMN weight INT NOT NULL DEFAULT 7,
  ADD KEY idx_batch (batch_id);

ALTER TABLE t_task_template
  ADD COLUMN zone VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  DROP KEY idx_claim,
  ADD KEY idx_claim (status, task_stage, lane, zone, order_time);
