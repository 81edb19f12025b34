package io.asyncflow.flowsvr.lease;

import static io.asyncflow.flowsvr.tasktable.Freshness.RECENT;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.duty.DutyResult;
import io.asyncflow.flowsvr.lease.LeaseStore.LeaseCount;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TableGroups;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.HoldEnd;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Gives back the tasks whose lease has run out: to wait for another worker, or to the failed ones
 * when their retries or their deliveries are exhausted.
 *
 * <p>It runs on every server at the same time without harm: a task that two sweeps find is locked
 * by one and skipped by the other, and what is written names the epoch and the status it saw.
 */
@Component
public class ExpiredLeaseSweep {

  private static final Logger log = LoggerFactory.getLogger(ExpiredLeaseSweep.class);
  private static final Result NOTHING = new Result(0, 0, 0);
  private static final int PAGE = 200;
  private static final Duration LONGEST_REST = Duration.ofSeconds(10);

  /** One sweep counts the leases of so many tables; those of the others are counted by the next. */
  private static final int MAX_TABLES = 2_000;

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
  private final int maxTables;

  /**
   * Until when none of the leases of a table can have run out, as the last look saw it; of a table
   * that could not be looked at, when that was tried. None of a table that had no turn yet.
   */
  private final Map<TaskTable, Long> restUntil = new HashMap<>();

  private long nextSweep;

  @Autowired
  ExpiredLeaseSweep(
      TaskTypes types,
      TaskFamilies families,
      LeaseStore leases,
      TaskStore tasks,
      RetryingTransactions transactions,
      Events events,
      TaskMeters meters,
      Node node) {
    this(types, families, leases, tasks, transactions, events, meters, node, MAX_TABLES);
  }

  /**
   * @param maxTables whose leases one sweep counts
   */
  public ExpiredLeaseSweep(
      TaskTypes types,
      TaskFamilies families,
      LeaseStore leases,
      TaskStore tasks,
      RetryingTransactions transactions,
      Events events,
      TaskMeters meters,
      Node node,
      int maxTables) {
    this.types = types;
    this.families = families;
    this.leases = leases;
    this.tasks = tasks;
    this.transactions = transactions;
    this.events = events;
    this.meters = meters;
    this.node = node;
    this.maxTables = maxTables;
    this.nextSweep = node.nanoTime();
  }

  /**
   * What one sweep did.
   *
   * @param givenBack tasks that wait again
   * @param failed tasks that were set to failed
   * @param poisoned those of them that were quarantined
   */
  public record Result(int givenBack, int failed, int poisoned) implements DutyResult {
    Result plus(Result other) {
      return new Result(
          givenBack + other.givenBack, failed + other.failed, poisoned + other.poisoned);
    }

    @Override
    public boolean hadEffect() {
      return givenBack + failed > 0;
    }
  }

  @Bean
  Duty expiredLeaseSweepDuty(DutyIntervals every) {
    return Duty.ofEach("expired-lease-sweep", every.sweep(), this::runIfDue);
  }

  /**
   * Sweeps the tables that had leases when they were last looked at, and those in which one that
   * was taken since can have run out. For one thread.
   *
   * @throws RuntimeException the first failure, after all the other tables have been swept
   */
  public Result runIfDue() {
    long now = node.nanoTime();
    if (now - nextSweep < 0) {
      return NOTHING;
    }
    Map<TaskTable, TaskTypeConfig> live = live();
    restUntil.keySet().retainAll(live.keySet());
    // Those that had no turn yet come first: the others would come before them for ever.
    List<TaskTable> due =
        live.keySet().stream()
            .filter(table -> now - restUntil.getOrDefault(table, now) >= 0)
            .sorted(
                Comparator.<TaskTable, Boolean>comparing(restUntil::containsKey)
                    .thenComparingLong(table -> restUntil.getOrDefault(table, now) - now))
            .limit(maxTables)
            .toList();
    FailureCollector failures = new FailureCollector();
    Swept swept = sweep(live, due, failures);
    due.forEach(table -> restUntil.put(table, now)); // also of one that cannot be counted
    for (LeaseCount of : swept.counts()) {
      Duration rest = of.all() > 0 ? Duration.ZERO : rest(Stream.of(live.get(of.table())));
      restUntil.put(of.table(), now + rest.toNanos());
    }
    long rest = rest(types.all().stream()).toNanos();
    for (TaskTable table : live.keySet()) {
      rest = Math.min(rest, restUntil.getOrDefault(table, now) - now);
    }
    nextSweep = now + rest;
    failures.throwFirst();
    return swept.result();
  }

  /** No lease of these types is shorter than this. */
  private static Duration rest(Stream<TaskTypeConfig> types) {
    return types
        .flatMap(type -> Stream.of(type.lease(), type.maxProcessingTime()))
        .reduce(LONGEST_REST, (a, b) -> a.compareTo(b) < 0 ? a : b);
  }

  /**
   * Sweeps all live tables.
   *
   * @throws RuntimeException the first failure, after all the other tables have been swept
   */
  public Result runOnce() {
    Map<TaskTable, TaskTypeConfig> live = live();
    FailureCollector failures = new FailureCollector();
    Swept swept = sweep(live, List.copyOf(live.keySet()), failures);
    failures.throwFirst();
    return swept.result();
  }

  /** Where the configuration was deleted nobody says how long a lease is. */
  private Map<TaskTable, TaskTypeConfig> live() {
    Map<TaskTable, TaskTypeConfig> live = new LinkedHashMap<>();
    for (TaskFamily family : families.all(RECENT)) {
      types.find(family.type()).ifPresent(type -> family.live().forEach(t -> live.put(t, type)));
    }
    return live;
  }

  /**
   * What a sweep did.
   *
   * @param counts of the tables that could be asked
   */
  private record Swept(Result result, List<LeaseCount> counts) {}

  private Swept sweep(
      Map<TaskTable, TaskTypeConfig> types, List<TaskTable> tables, FailureCollector failures) {
    List<LeaseCount> counts = TableGroups.ask(tables, failures, leases::count);
    Result total = NOTHING;
    Set<TaskTable> wait = new HashSet<>();
    for (LeaseCount leasesOf : counts) {
      TaskTable table = leasesOf.table();
      if (leasesOf.expired() > 0) {
        Result result = failures.orElse(NOTHING, () -> sweep(table, types.get(table)));
        if (result.givenBack() > 0) {
          wait.add(table);
        }
        total = total.plus(result);
      }
    }
    wait.stream().map(TaskTable::type).distinct().map(TasksWaiting::new).forEach(events::publish);
    if (total.hadEffect()) {
      log.info(
          "leases ran out: {} tasks wait again, {} failed, {} of them as poison",
          total.givenBack(),
          total.failed(),
          total.poisoned());
    }
    return new Swept(total, counts);
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
      if (expired.size() < PAGE || !result.hadEffect()) {
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
