package io.asyncflow.flowsvr.base.system.migration;

import java.util.Arrays;
import java.util.Optional;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationVersion;

/**
 * The tables of the database were made by migrations that failed, are unknown to this server or
 * differ from its own; the message names the remedy.
 */
public final class SchemaMismatchException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final MigrationVersion BASELINE = MigrationVersion.fromVersion("1");

  private final boolean anotherBaseline;

  private SchemaMismatchException(String message, boolean anotherBaseline, Throwable cause) {
    super(message, cause);
    this.anotherBaseline = anotherBaseline;
  }

  /**
   * @param place the database's URL without secrets
   * @param flyway that refused the tables
   */
  static SchemaMismatchException of(String place, Flyway flyway, Throwable refusal) {
    Optional<MigrationVersion> failed =
        Arrays.stream(flyway.info().applied())
            .filter(migration -> migration.getState().isFailed())
            .map(MigrationInfo::getVersion)
            .findFirst();
    if (failed.isPresent()) {
      return new SchemaMismatchException(
          "migration "
              + failed.get()
              + " failed at an earlier start, which left a part of its tables at "
              + place
              + "; once its cause is mended, "
              + (BASELINE.equals(failed.get())
                  ? "drop this schema and start the server again."
                  : "delete the row of flyway_schema_history whose success is 0 and start the"
                      + " server again, which skips what is done."),
          false,
          refusal);
    }
    if (Arrays.stream(flyway.info().applied())
        .anyMatch(SchemaMismatchException::isAnotherBaseline)) {
      return new SchemaMismatchException(
          "the tables at "
              + place
              + " were made from another baseline (db/migration/V1) than this server's, and no"
              + " migration leads from one to the other; let FLOW_MYSQL_URL name an empty schema,"
              + " or start the version that made the tables.",
          true,
          refusal);
    }
    return new SchemaMismatchException(
        "the tables at "
            + place
            + " were made by another state of the code, from which there is no way to this one;"
            + " start the server that made them, or give an empty schema (./asyncflow dev: another"
            + " --data-dir, or an empty one).",
        false,
        refusal);
  }

  private static boolean isAnotherBaseline(MigrationInfo applied) {
    return BASELINE.equals(applied.getVersion())
        && !(applied.isChecksumMatching() && applied.isDescriptionMatching());
  }

  /** Whether the first migration differs, so that the tables have another baseline. */
  public boolean isOfAnotherBaseline() {
    return anotherBaseline;
  }
}
