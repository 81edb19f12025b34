-- Sessions: people who have exchanged a key or a token for a cookie. Any server answers any of their requests.

-- One row a session. The log-out deletes it; each log-in deletes those whose end has passed.
CREATE TABLE t_session (
  id_hash             BINARY(32)    NOT NULL COMMENT 'SHA-256 of the id, which the browser alone has',
  principal           VARCHAR(160)  NOT NULL COMMENT 'the caller that logged in: key:{id}, env:FLOW_API_KEY, oidc:{iss}#{sub}',
  granted             TEXT          NULL     COMMENT 'JSON: what the token granted; null where the key says it',
  seal                BINARY(32)    NULL     COMMENT 'HMAC-SHA-256 of the id and of the columns but last_used_time, under the pepper or FLOW_API_KEY; null without a pepper',
  create_time         BIGINT        NOT NULL,
  expire_time         BIGINT        NOT NULL,
  last_used_time      BIGINT        NOT NULL COMMENT 'written once a minute at most',
  PRIMARY KEY (id_hash),
  KEY idx_principal (principal, expire_time),
  KEY idx_expire (expire_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row a caller with tokens of an issuer who is refused before they end; its change adds one to t_access_version.
CREATE TABLE t_access_denied (
  principal           VARCHAR(160)  NOT NULL COMMENT 'oidc:{iss}#{sub}',
  until_time          BIGINT        NOT NULL,
  PRIMARY KEY (principal)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- An act may be on a caller, whose name is longer than that of other objects.
ALTER TABLE t_act MODIFY object VARCHAR(192) NOT NULL COMMENT 'schedule:{id}, …';
