-- Pauses: what is paused, by whom, why and until when.

-- One row a paused type, stage or worker. t_schedule_cfg.paused stays the truth of a type: without it the row of a
-- type is ignored, and with it the row says who paused the type and until when.
CREATE TABLE t_pause (
  kind                TINYINT      NOT NULL COMMENT '1 type, 2 stage, 3 worker',
  name                VARCHAR(160) NOT NULL COMMENT 'type, type/stage, or worker id; a type in lower case',
  until_time          BIGINT       NULL     DEFAULT NULL COMMENT 'ends by itself then; null: only by a clear',
  operator            VARCHAR(128) NOT NULL DEFAULT '',
  reason              VARCHAR(1000) NOT NULL DEFAULT '',
  pause_time          BIGINT       NOT NULL,
  PRIMARY KEY (kind, name),
  -- Pauses whose time has come.
  KEY idx_until (until_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What waits of a paused job is moved from status 1 to 32 in pages, and back.
ALTER TABLE t_job
  ADD COLUMN pause        TINYINT NULL     DEFAULT NULL COMMENT '1 paused, 2 being resumed; null: neither',
  ADD COLUMN pause_cursor INT     NOT NULL DEFAULT -1   COMMENT 'children below this index have been moved; -1: nor the split or the merge',
  ADD KEY idx_pause (pause, state);
