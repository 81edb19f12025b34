-- One row a type with a max_executing or a rate_limit; claims of such a type lock it, one after the other.
CREATE TABLE t_type_limit (
  task_type           VARCHAR(31)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in lower case',
  spent_until         BIGINT       NOT NULL DEFAULT 0 COMMENT 'microseconds since the epoch; the rate is spent up to then',
  PRIMARY KEY (task_type)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
