package io.asyncflow.flowsvr.task.table.upkeep;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.table.TableArchive;
import io.asyncflow.flowsvr.task.table.TableLifeStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.table.schema.TaskTableStore;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Drops whole tables, some days after all their tasks are final, so that no rows need to be
 * deleted.
 *
 * <p>First the table is given up, so that servers stop reading it; when every server has had time
 * to learn of it, the table is archived, if that is configured, and dropped. Each step can be
 * repeated, so after a crash the next round continues. It may run on several servers at the same
 * time.
 */
@Component
public class TableRetention {

  private static final Logger log = LoggerFactory.getLogger(TableRetention.class);

  /** Longer than any server caches the positions, and than a read lasts. */
  private static final Duration GRACE = Duration.ofSeconds(20);

  private final TaskTypes types;
  private final TaskFamilies families;
  private final TableLifeStore lives;
  private final TaskTableStore tables;
  private final TableArchive archive;
  private final RetryingTransactions transactions;
  private final DatabaseWatch database;

  TableRetention(
      TaskTypes types,
      TaskFamilies families,
      TableLifeStore lives,
      TaskTableStore tables,
      TableArchive archive,
      RetryingTransactions transactions,
      DatabaseWatch database) {
    this.types = types;
    this.families = families;
    this.lives = lives;
    this.tables = tables;
    this.archive = archive;
    this.transactions = transactions;
    this.database = database;
  }

  @Bean
  Duty tableRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("table-retention", every, this::runOnce);
  }

  /**
   * Returns the number of dropped tables.
   *
   * @throws RuntimeException the first failure, after all other tables have been processed
   */
  public int runOnce() {
    return runOnce(GRACE);
  }

  public int runOnce(Duration grace) {
    if (database.writers() > 1) {
      return 0; // the locks of another database server are not seen
    }
    int dropped = 0;
    FailureCollector failures = new FailureCollector();
    for (TaskTable table : lives.droppedBefore(grace)) {
      dropped += failures.orElse(0, () -> drop(table));
    }
    lives.drainedFor().forEach((type, age) -> failures.collect(() -> giveUp(type, age)));
    failures.throwFirst();
    return dropped;
  }

  /**
   * Gives a table up at once, whatever the retention of its type. The next rounds drop it.
   *
   * @param join further work in the same transaction, if the table is given up
   * @return false if the table is not the first of its family, or not drained
   */
  public boolean giveUpNow(TaskTable table, Runnable join) {
    boolean isGivenUp =
        transactions.execute(
            () -> {
              boolean isFirst = lives.giveUp(table, Duration.ZERO);
              if (isFirst) {
                join.run();
              }
              return isFirst;
            });
    if (isGivenUp) {
      families.outdated();
    }
    return isGivenUp;
  }

  private int drop(TaskTable table) {
    if (tables.exists(table)) { // an interrupted round may have dropped it
      archive.write(table);
      tables.drop(table);
    }
    lives.delete(table);
    log.info("{} was dropped", table);
    return 1;
  }

  private void giveUp(TaskType type, Duration drainedFor) {
    Optional<Duration> retention =
        types
            .find(type)
            .filter(config -> config.retentionDays() > 0)
            .map(config -> Duration.ofDays(config.retentionDays()))
            .filter(kept -> drainedFor.compareTo(kept) >= 0);
    if (retention.isPresent()) {
      families.find(type, RECENT).ifPresent(family -> giveUp(family, retention.get()));
    }
  }

  private void giveUp(TaskFamily family, Duration retention) {
    for (TaskTable table : family.drained()) {
      if (!transactions.execute(() -> lives.giveUp(table, retention))) {
        break;
      }
      families.outdated();
    }
  }
}
