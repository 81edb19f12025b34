-- What an access key may do a second, from when on, and whose certificate it needs. The seal of a row covers these columns, too.
ALTER TABLE t_access_key
  ADD COLUMN cert_san   VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'URI or DNS name in the TLS certificate of its clients; null: they need none',
  ADD COLUMN rate_limit INT    NOT NULL DEFAULT 0 COMMENT 'requests a second and server; 0: no limit',
  ADD COLUMN not_before BIGINT NOT NULL DEFAULT 0 COMMENT 'it is not live before this time';
