-- Access keys: who may call the servers, and what each caller may do. Read only in mode FLOW_ACCESS=keys.

-- One row a key; rows are never deleted. A row is under its seal but for last_used_time: whoever changes it by SQL
-- ends the key, where there is a pepper.
CREATE TABLE t_access_key (
  key_id              CHAR(10)      CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'public part of the key',
  name                VARCHAR(128)  NOT NULL COMMENT 'for people; unique among live keys that have no successor',
  key_hash            BINARY(32)    NOT NULL COMMENT 'SHA-256 of the secret part',
  seal                BINARY(32)    NULL     COMMENT 'HMAC-SHA-256 of the other columns under the pepper; null without a pepper',
  roles               VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'with commas',
  types               VARCHAR(4000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'with commas, names and beginnings (acme_*); * for all',
  stages              VARCHAR(4000) NOT NULL COMMENT 'JSON list; * for all',
  users               VARCHAR(4000) NOT NULL COMMENT 'JSON list of ids and beginnings (acme/*); * for all',
  worker_prefix       VARCHAR(64)   NOT NULL COMMENT 'its worker ids begin so',
  created_by          VARCHAR(160)  NOT NULL COMMENT 'the caller that made it: key:{id}, env:FLOW_API_KEY, local, cli:direct',
  create_time         BIGINT        NOT NULL,
  expire_time         BIGINT        NOT NULL,
  revoke_time         BIGINT        NULL,
  revoke_reason       VARCHAR(1000) NULL,
  replaced_by         CHAR(10)      CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'key_id of the successor that a rotation made',
  last_used_time      BIGINT        NULL     COMMENT 'written once a minute for all keys together',
  PRIMARY KEY (key_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row: each change of keys adds one to version in its transaction, so servers see by one small read that they must
-- read the keys again, and changes of keys follow one another.
CREATE TABLE t_access_version (
  one                 TINYINT       NOT NULL,
  version             BIGINT        NOT NULL,
  PRIMARY KEY (one)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO t_access_version (one, version) VALUES (1, 1);
