-- Which template all task tables are known to have: a start looks at each of them only where that is another one.
CREATE TABLE t_task_upgrade (
  id                  TINYINT      NOT NULL DEFAULT 1 COMMENT 'one row',
  template            CHAR(64)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 of its columns and keys',
  PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
