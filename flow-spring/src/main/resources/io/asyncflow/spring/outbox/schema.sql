-- The tasks that this application has created and that flowsvr does not have yet.
-- For H2, MySQL, MariaDB and PostgreSQL. Copy it into your migrations.
CREATE TABLE IF NOT EXISTS asyncflow_outbox (
  due_ms   BIGINT       NOT NULL,            -- 0, or not to be sent before this time; the highest number: never
  id       CHAR(33)     NOT NULL,            -- rises with the time of the create
  attempts INT          NOT NULL DEFAULT 0,  -- how often flowsvr has refused it
  task     TEXT         NOT NULL,            -- as JSON, in ASCII
  refusal  VARCHAR(1000),                    -- why flowsvr refused it last
  PRIMARY KEY (due_ms, id)
);
