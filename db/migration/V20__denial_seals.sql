-- The row of a denial is sealed as that of a key is: one whose time SQL has changed denies its caller without an end.
ALTER TABLE t_access_denied
  ADD COLUMN seal BINARY(32) NULL COMMENT 'HMAC-SHA-256 of the other columns under the pepper; null without a pepper';

-- Those that are over would begin again, as they have no seal.
DELETE FROM t_access_denied WHERE until_time < UNIX_TIMESTAMP() * 1000;
