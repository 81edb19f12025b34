-- Hooks: URLs to which events are sent. A delivery is a task of the type flow_webhook.

-- One row a hook: where to, which events, how far it has come.
CREATE TABLE t_hook (
  id                  BIGINT       NOT NULL COMMENT 'time-ordered, from the source of the task numbers; its stage is hook-{id}',
  name                VARCHAR(128) NULL     COMMENT 'null for a deleted one, whose last tasks are being ended',
  url                 VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  task_types          VARCHAR(2100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'with commas; empty: events of all types',
  kinds               VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'with commas; empty: events of all kinds',
  state               TINYINT      NOT NULL COMMENT '1 active, 2 paused, 4 disabled, 8 deleted',
  secret              VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'whsec_…, signs the deliveries',
  old_secret          VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'the one before, which signs beside it until old_secret_end',
  old_secret_end      BIGINT       NOT NULL DEFAULT 0,
  cursor_             BIGINT       NOT NULL COMMENT 'id of the last event that was looked at; moved in the commit of the tasks',
  fail_since          BIGINT       NULL     COMMENT 'first failure after the last success; null after a success',
  last_error          VARCHAR(1000) NOT NULL DEFAULT '' COMMENT 'of the last failure',
  create_time         BIGINT       NOT NULL,
  modify_time         BIGINT       NOT NULL COMMENT 'of the last change by a caller',
  PRIMARY KEY (id),
  UNIQUE KEY uk_name (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
