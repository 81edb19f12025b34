package io.asyncflow.flowsvr.governance;

import io.asyncflow.flowsvr.job.JobAudit;
import io.asyncflow.flowsvr.system.Failures;
import io.asyncflow.flowsvr.system.RetryingTransactions;
import io.asyncflow.flowsvr.tasktable.TableDrain;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Looks for what cannot be, repairs it, and counts it.
 *
 * <p>No code path of this server makes any of it: it comes from a restored backup, from rows that
 * were edited by hand, or from a bug. Without a look at it such a task would be stuck for ever.
 */
@Component
class InvariantAuditor {

  private static final Logger log = LoggerFactory.getLogger(InvariantAuditor.class);
  private static final int PAGE = 500;

  /** Beyond what a hold may last: nobody's configuration was changed by that much meanwhile. */
  private static final Duration SLACK = Duration.ofDays(1);

  /** Sweeps read the families, so that this need not. */
  private static final Duration LATELY = Duration.ofSeconds(12);

  private final TaskTypes types;
  private final TaskFamilies families;
  private final TableDrain drain;
  private final AuditorStore store;
  private final JobAudit jobs;
  private final RetryingTransactions transactions;

  InvariantAuditor(
      TaskTypes types,
      TaskFamilies families,
      TableDrain drain,
      AuditorStore store,
      JobAudit jobs,
      RetryingTransactions transactions) {
    this.types = types;
    this.families = families;
    this.drain = drain;
    this.store = store;
    this.jobs = jobs;
    this.transactions = transactions;
  }

  /**
   * What one audit repaired.
   *
   * @param endlessLeases executing tasks whose lease would not have ended, or whose end nobody
   *     could have recorded
   * @param lostTables tables behind begin that hold unfinished tasks
   * @param wrongJobs jobs whose counts or state their tasks' rows belied
   */
  record Result(int endlessLeases, int lostTables, int wrongJobs) implements JobResult {
    @Override
    public boolean didAnything() {
      return endlessLeases + lostTables + wrongJobs > 0;
    }
  }

  Result runOnce() {
    int endless = 0;
    int lost = 0;
    Failures failures = new Failures();
    for (TaskFamily family : families.allWithin(LATELY)) {
      Optional<TaskTypeConfig> type = types.find(family.type());
      if (type.isEmpty()) {
        continue;
      }
      Duration longest = type.get().maxProcessingTime().plus(SLACK);
      for (TaskTable table : family.live()) {
        endless += failures.orElse(0, () -> endEndlessLeases(table, longest));
      }
      lost += failures.orElse(false, () -> drain.takeBackLost(family)) ? 1 : 0;
    }
    Result result = new Result(endless, lost, failures.orElse(0, jobs::runOnce));
    if (endless + lost > 0) {
      log.warn(
          "repaired {} leases without an end and {} tables behind begin with unfinished tasks",
          endless,
          lost);
    }
    failures.throwFirst();
    return result;
  }

  private int endEndlessLeases(TaskTable table, Duration longest) {
    List<Long> endless = store.endlessLeases(table, longest, PAGE);
    return endless.isEmpty()
        ? 0
        : transactions.execute(() -> store.endLeases(table, endless, longest));
  }
}
