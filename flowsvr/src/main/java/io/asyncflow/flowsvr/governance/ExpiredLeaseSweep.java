package io.asyncflow.flowsvr.governance;

import io.asyncflow.flowsvr.lease.HoldEnd;
import io.asyncflow.flowsvr.lease.LeaseStore;
import io.asyncflow.flowsvr.lease.LeaseStore.Leases;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.Failures;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.RetryingTransactions;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.task.TaskId;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TaskTransition;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.stereotype.Component;

/**
 * Gives back the tasks whose lease has run out: to wait for another worker, or to the failed ones
 * when their retries or their deliveries are exhausted.
 *
 * <p>It runs on every server at the same time without harm: a task that two sweeps find is locked
 * by one and skipped by the other, and what is written names the epoch and the status it saw.
 */
@Component
class ExpiredLeaseSweep {

  private static final Logger log = LoggerFactory.getLogger(ExpiredLeaseSweep.class);
  private static final Result NOTHING = new Result(0, 0, 0);
  private static final int PAGE = 200;
  private static final Duration LONGEST_REST = Duration.ofSeconds(10);

  /** Enough for every page of a mass death, and an end for a sweep that makes no progress. */
  private static final int MAX_PAGES_A_TABLE = 50;

  private final TaskTypes types;
  private final TaskFamilies families;
  private final LeaseStore leases;
  private final TaskStore tasks;
  private final RetryingTransactions transactions;
  private final Events events;
  private final TaskMeters meters;
  private final Node node;
  private long restUntil;

  ExpiredLeaseSweep(
      TaskTypes types,
      TaskFamilies families,
      LeaseStore leases,
      TaskStore tasks,
      RetryingTransactions transactions,
      Events events,
      TaskMeters meters,
      Node node) {
    this.types = types;
    this.families = families;
    this.leases = leases;
    this.tasks = tasks;
    this.transactions = transactions;
    this.events = events;
    this.meters = meters;
    this.node = node;
    this.restUntil = node.nanoTime();
  }

  /**
   * What one sweep did.
   *
   * @param givenBack tasks that wait again
   * @param failed tasks that were set to failed
   * @param poisoned those of them that were quarantined
   */
  record Result(int givenBack, int failed, int poisoned) implements JobResult {
    Result plus(Result other) {
      return new Result(
          givenBack + other.givenBack, failed + other.failed, poisoned + other.poisoned);
    }

    @Override
    public boolean didAnything() {
      return givenBack + failed > 0;
    }
  }

  /**
   * Sweeps, unless the last sweep saw no lease at all and none that was taken since can have run
   * out. For one thread.
   */
  Result runIfDue() {
    long now = node.nanoTime();
    if (now - restUntil < 0) {
      return NOTHING;
    }
    Swept swept = sweep();
    restUntil = swept.sawLeases() ? now : now + rest().toNanos();
    return swept.result();
  }

  /** No lease is shorter than this. */
  private Duration rest() {
    return types.all().stream()
        .flatMap(type -> Stream.of(type.lease(), type.maxProcessingTime()))
        .reduce(LONGEST_REST, (a, b) -> a.compareTo(b) < 0 ? a : b);
  }

  /**
   * Sweeps all live tables.
   *
   * @throws RuntimeException the first failure, after all the other tables have been swept
   */
  Result runOnce() {
    return sweep().result();
  }

  private record Swept(Result result, boolean sawLeases) {}

  private Swept sweep() {
    Map<TaskTable, TaskTypeConfig> tables = new LinkedHashMap<>();
    for (TaskFamily family : families.all()) {
      // Where the configuration was deleted nobody says how long a lease is.
      types.find(family.type()).ifPresent(type -> family.live().forEach(t -> tables.put(t, type)));
    }
    List<Leases> counts = count(List.copyOf(tables.keySet()));
    Result total = NOTHING;
    Failures failures = new Failures();
    Set<TaskTable> wait = new HashSet<>();
    for (Leases leasesOf : counts) {
      TaskTable table = leasesOf.table();
      if (leasesOf.expired() > 0) {
        Result result = failures.orElse(NOTHING, () -> sweep(table, tables.get(table)));
        if (result.givenBack() > 0) {
          wait.add(table);
        }
        total = total.plus(result);
      }
    }
    wait.stream().map(TaskTable::type).distinct().map(TasksWaiting::new).forEach(events::publish);
    if (total.didAnything()) {
      log.info(
          "leases ran out: {} tasks wait again, {} failed, {} of them as poison",
          total.givenBack(),
          total.failed(),
          total.poisoned());
    }
    failures.throwFirst();
    return new Swept(total, counts.stream().anyMatch(leasesOf -> leasesOf.all() > 0));
  }

  /** A table that cannot be read spoils the statement, and must not keep the others from it. */
  private List<Leases> count(List<TaskTable> tables) {
    try {
      return leases.count(tables);
    } catch (BadSqlGrammarException e) {
      return tables.stream().map(table -> new Leases(table, 1, 1)).toList();
    }
  }

  private Result sweep(TaskTable table, TaskTypeConfig type) {
    Result total = NOTHING;
    for (int page = 0; page < MAX_PAGES_A_TABLE; page++) {
      List<Long> expired =
          leases.expired(table, PAGE).stream().map(TaskId::number).sorted().toList();
      if (expired.isEmpty()) {
        break;
      }
      List<Ended> ended = transactions.execute(() -> giveBack(table, expired, type));
      Result result = count(type, ended);
      total = total.plus(result);
      if (expired.size() < PAGE || !result.didAnything()) {
        break; // the last page, or another server is at it
      }
    }
    return total;
  }

  /** A hold that was ended, and why. */
  private record Ended(TaskTransition to, HoldEnd.Verdict verdict) {}

  private List<Ended> giveBack(TaskTable table, List<Long> numbers, TaskTypeConfig type) {
    List<Ended> ended =
        leases.lockExpired(table, numbers).stream()
            .map(row -> new Ended(HoldEnd.expired(row, type), HoldEnd.verdict(row, type)))
            .toList();
    if (!ended.isEmpty()) {
      tasks.apply(table, ended.stream().map(Ended::to).toList());
    }
    return ended;
  }

  /** After the commit: a transaction that was repeated must not count twice. */
  private Result count(TaskTypeConfig type, List<Ended> ended) {
    int waiting = 0;
    int poisoned = 0;
    for (Ended one : ended) {
      waiting += one.to().makesWaiting() ? 1 : 0;
      poisoned += one.verdict() == HoldEnd.Verdict.POISON ? 1 : 0;
      meters.leaseExpired(type.type().name(), one.verdict().name());
    }
    int failed = ended.size() - waiting;
    meters.failed(type.type().name(), failed);
    return new Result(waiting, failed, poisoned);
  }
}
