package io.asyncflow.flowsvr.operate.governance;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.duty.DutyResult;
import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.base.system.concurrent.RoundRobin;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.job.upkeep.JobAudit;
import io.asyncflow.flowsvr.task.table.TableGroups;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.table.upkeep.TableDrain;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Finds, repairs and counts violations of invariants.
 *
 * <p>No code path of this server causes them: they come from a restored backup, manual edits or a
 * bug. Without the audit such a task would be stuck for ever.
 */
@Component
class InvariantAuditor {

  private static final Duration INTERVAL = Duration.ofSeconds(20);

  private static final Logger log = LoggerFactory.getLogger(InvariantAuditor.class);
  private static final int PAGE = 500;

  /** Sweeps refresh the cached families, so that no extra read is needed. */
  private static final Duration LATELY = Duration.ofSeconds(12);

  /** The limit of live and of drained tables in one audit; the next audit continues. */
  private static final int TABLES = 2_000;

  private final RoundRobin<TaskTable> liveTurns = new RoundRobin<>(TABLES);
  private final RoundRobin<TaskTable> drainedTurns = new RoundRobin<>(TABLES);
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
   * The result of one audit.
   *
   * @param endlessLeases executing tasks whose lease would never have ended, or whose end could not
   *     have been recorded
   * @param lostTables families with unfinished tasks in tables before begin
   * @param wrongJobs jobs whose counts or state contradicted the rows of their tasks
   */
  record Result(int endlessLeases, int lostTables, int wrongJobs) implements DutyResult {
    @Override
    public boolean hadEffect() {
      return endlessLeases + lostTables + wrongJobs > 0;
    }
  }

  @Bean
  Duty invariantAuditorDuty(DutyIntervals every) {
    return Duty.ofLeader("invariant-auditor", every.notBelowSweep(INTERVAL), this::runOnce);
  }

  /**
   * Runs an audit. Not thread-safe.
   *
   * @throws RuntimeException the first failure, after everything else was audited
   */
  Result runOnce() {
    List<TaskTable> live = new ArrayList<>();
    List<TaskTable> drained = new ArrayList<>();
    for (TaskFamily family : families.allWithin(LATELY)) {
      if (types.find(family.type()).isPresent()) {
        live.addAll(family.live());
        drained.addAll(family.drained());
      }
    }
    FailureCollector failures = new FailureCollector();
    int endless = endEndlessLeases(live, failures);
    int lost = failures.orElse(0, () -> drain.takeBackLost(drainedTurns.next(drained)));
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

  private int endEndlessLeases(List<TaskTable> live, FailureCollector failures) {
    Map<TaskTable, List<Long>> endless =
        TableGroups.ask(liveTurns.next(live), failures, tables -> store.endlessLeases(tables, PAGE))
            .stream()
            .collect(groupingBy(TaskId::table, mapping(TaskId::number, toList())));
    int ended = 0;
    for (TaskTable table : endless.keySet()) {
      ended +=
          failures.orElse(
              0, () -> transactions.execute(() -> store.endLeases(table, endless.get(table))));
    }
    return ended;
  }
}
