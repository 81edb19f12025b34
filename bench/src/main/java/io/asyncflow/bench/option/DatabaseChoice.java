package io.asyncflow.bench.option;

/** Which database everybody runs on. */
public enum DatabaseChoice {
  MARIADB,
  MYSQL8,
  GIVEN
}
