-- The record of acts: its order is sealed by a chain, and it is listed by actor, by object and by act.

ALTER TABLE t_act
  ADD KEY idx_object_time (object, act_time),
  ADD KEY idx_actor (actor, act_time),
  ADD KEY idx_act (act, act_time),
  DROP KEY idx_object;

-- One row an act that is older than 100 s: by then no transaction is under way that could commit an act with a lower id.
-- INSERT only, but for retention, which deletes the oldest rows of both tables and leaves the chain of the last of them.
CREATE TABLE t_act_chain (
  to_id               BIGINT       NOT NULL COMMENT 'id of the act in t_act',
  chain               BINARY(32)   NOT NULL COMMENT 'SHA-256 of the chain before and of this act',
  close_time          BIGINT       NOT NULL COMMENT 'epoch ms at which the leader wrote this row',
  PRIMARY KEY (to_id),
  KEY idx_close_time (close_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
