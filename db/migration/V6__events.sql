-- Events: what happened to tasks, jobs and schedules, one row a transition, for those who follow along.

ALTER TABLE t_schedule_cfg
  ADD COLUMN events TINYINT NOT NULL DEFAULT 0 COMMENT 'events that are written: 0 none, 1 ends, 2 all';

-- What each t_event_{yyyymmdd} looks like, one row an event, in the table of the UTC day of its transaction; always
-- empty itself. The ids of a day begin at its number of days since 1970 times 10^12, so that ids rise over all days.
CREATE TABLE t_event_template (
  id                  BIGINT        NOT NULL AUTO_INCREMENT,
  event_time          BIGINT        NOT NULL,
  kind                TINYINT       NOT NULL COMMENT 'code of EventKind',
  task_type           VARCHAR(31)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case; of a job, its jobType; of a schedule, its target type',
  body                VARCHAR(2000) NOT NULL COMMENT 'JSON: the other fields of the event',
  PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
