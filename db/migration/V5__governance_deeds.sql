-- What a governance job did last, beside its last run, which mostly found nothing to do.
ALTER TABLE t_governance_job
  ADD COLUMN did_time   BIGINT NULL DEFAULT NULL COMMENT 'ms; last run that did something',
  ADD COLUMN did_result TEXT   NULL              COMMENT 'JSON; its result';
