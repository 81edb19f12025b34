package io.asyncflow.flowsvr.queue.lease;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.duty.DutyResult;
import io.asyncflow.flowsvr.base.pulse.TaskPulse;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.queue.lease.LeaseStore.Ending;
import io.asyncflow.flowsvr.queue.lease.LeaseStore.LeaseCount;
import io.asyncflow.flowsvr.task.number.WriteOutageStore;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.table.TableGroups;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
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
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Ends holds whose lease has run out: the tasks wait again, or are set to failed if their retries
 * or deliveries are exhausted.
 *
 * <p>After a {@link io.asyncflow.rules.WriteOutage}, in which no worker could be heard, it leaves
 * leases alone that have run out since, until the living have had the time to be heard; but for
 * attempts that have reached their hard end. Each sweep knows of the outages before it reads what
 * it ends, so that a database that stands still in between costs no lease either.
 *
 * <p>It may run on every server at the same time: a task that two sweeps find is locked by one and
 * skipped by the other, and the UPDATE is guarded by the epoch and the status that were read.
 */
@Component
public class ExpiredLeaseSweep {

  private static final Logger log = LoggerFactory.getLogger(ExpiredLeaseSweep.class);
  private static final Result NOTHING = new Result(0, 0, 0);
  private static final int PAGE = 200;
  private static final Duration MAX_REST = Duration.ofSeconds(10);

  /** The most tables whose leases one sweep counts. */
  private static final int MAX_TABLES = 2_000;

  /**
   * The most pages of a table: enough when very many workers die, and a bound for a sweep of tasks
   * that others have locked.
   */
  private static final int MAX_PAGES_PER_TABLE = 50;

  private final TaskTypes types;
  private final TaskFamilies families;
  private final LeaseStore leases;
  private final WriteOutageStore outages;
  private final TransitionStore transitions;
  private final RetryingTransactions transactions;
  private final Events events;
  private final TaskPulse pulse;
  private final Node node;

  /**
   * By table, the {@link System#nanoTime()} before which none of its leases can run out, by the
   * last count; for a table that could not be counted, the time of that attempt. A table that was
   * never counted is absent.
   */
  private final Map<TaskTable, Long> restUntil = new HashMap<>();

  private long nextSweep;

  public ExpiredLeaseSweep(
      TaskTypes types,
      TaskFamilies families,
      LeaseStore leases,
      WriteOutageStore outages,
      TransitionStore transitions,
      RetryingTransactions transactions,
      Events events,
      TaskPulse pulse,
      Node node) {
    this.types = types;
    this.families = families;
    this.leases = leases;
    this.outages = outages;
    this.transitions = transitions;
    this.transactions = transactions;
    this.events = events;
    this.pulse = pulse;
    this.node = node;
    this.nextSweep = node.nanoTime();
  }

  /**
   * The result of a sweep.
   *
   * @param waitingAgain tasks that wait again
   * @param failed tasks that were set to failed
   * @param poisoned those of them that are poison
   */
  public record Result(@JsonProperty("givenBack") int waitingAgain, int failed, int poisoned)
      implements DutyResult {
    Result plus(Result other) {
      return new Result(
          waitingAgain + other.waitingAgain, failed + other.failed, poisoned + other.poisoned);
    }

    @Override
    public boolean hadEffect() {
      return waitingAgain + failed > 0;
    }
  }

  @Bean
  Duty expiredLeaseSweepDuty(DutyIntervals every) {
    return Duty.ofEach("expired-lease-sweep", every.sweep(), () -> runIfDue(MAX_TABLES));
  }

  /**
   * Sweeps the tables that had leases when they were last counted, and those in which a lease
   * granted since may have run out. Not thread-safe.
   *
   * @param maxTables the most tables whose leases it counts; the next sweep counts those of the
   *     others
   * @throws RuntimeException the first failure, after all the other tables have been swept
   */
  public Result runIfDue(int maxTables) {
    long now = node.nanoTime();
    if (now - nextSweep < 0) {
      return NOTHING;
    }
    Map<TaskTable, TaskTypeConfig> live = live();
    restUntil.keySet().retainAll(live.keySet());
    // Tables that were never counted come first; otherwise the others could keep them out for ever.
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
    due.forEach(table -> restUntil.put(table, now)); // also if it cannot be counted
    for (LeaseCount count : swept.counts()) {
      Duration rest = count.total() > 0 ? Duration.ZERO : rest(Stream.of(live.get(count.table())));
      restUntil.put(count.table(), now + rest.toNanos());
    }
    long rest = rest(types.all().stream()).toNanos();
    for (TaskTable table : live.keySet()) {
      rest = Math.min(rest, restUntil.getOrDefault(table, now) - now);
    }
    nextSweep = now + rest;
    failures.throwFirst();
    return swept.result();
  }

  /** The shortest lease of these types. */
  private static Duration rest(Stream<TaskTypeConfig> types) {
    return types
        .flatMap(type -> Stream.of(type.lease(), type.maxProcessingTime()))
        .reduce(MAX_REST, (a, b) -> a.compareTo(b) < 0 ? a : b);
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

  /**
   * The live tables of configured types; without a configuration the length of a lease is unknown.
   */
  private Map<TaskTable, TaskTypeConfig> live() {
    Map<TaskTable, TaskTypeConfig> live = new LinkedHashMap<>();
    for (TaskFamily family : families.all(RECENT)) {
      types.find(family.type()).ifPresent(type -> family.live().forEach(t -> live.put(t, type)));
    }
    return live;
  }

  /**
   * The result of a sweep of some tables.
   *
   * @param counts the counts of the tables that could be read
   */
  private record Swept(Result result, List<LeaseCount> counts) {}

  private Swept sweep(
      Map<TaskTable, TaskTypeConfig> live, List<TaskTable> tables, FailureCollector failures) {
    List<LeaseCount> counts = TableGroups.ask(tables, failures, leases::count);
    Result total = NOTHING;
    Set<TaskTable> changed = new HashSet<>();
    List<TaskTable> expired =
        counts.stream().filter(count -> count.expired() > 0).map(LeaseCount::table).toList();
    WriteOutageStore.Known known = expired.isEmpty() ? null : outages.known();
    for (TaskTable table : expired) {
      TaskTypeConfig type = live.get(table);
      Ending ending = new Ending(known.sweptUntil(type.lease()), type.maxProcessingTime());
      Result result = failures.orElse(NOTHING, () -> sweep(table, type, ending));
      if (result.hadEffect()) {
        changed.add(table); // a task that failed makes room within max_executing
      }
      total = total.plus(result);
    }
    changed.stream()
        .map(TaskTable::type)
        .distinct()
        .map(TasksWaiting::new)
        .forEach(events::publish);
    if (total.hadEffect()) {
      log.info(
          "leases ran out: {} tasks wait again, {} failed, {} of them as poison",
          total.waitingAgain(),
          total.failed(),
          total.poisoned());
    }
    return new Swept(total, counts);
  }

  /**
   * Passes over tasks that others have locked: they stay at their places in the index, and would
   * keep the sweep from those behind them. Tasks that another sweep ends leave the index, and then
   * this one passes over as many others, which the next sweep finds.
   */
  private Result sweep(TaskTable table, TaskTypeConfig type, Ending ending) {
    Result total = NOTHING;
    int passedOver = 0;
    for (int page = 0; page < MAX_PAGES_PER_TABLE; page++) {
      List<Long> expired =
          leases.expired(table, ending, passedOver, PAGE).stream()
              .map(TaskId::number)
              .sorted()
              .toList();
      if (expired.isEmpty()) {
        break;
      }
      List<Ended> ended = transactions.execute(() -> endHolds(table, expired, type, ending));
      total = total.plus(count(type, ended));
      passedOver += expired.size() - ended.size();
      if (expired.size() < PAGE) {
        break;
      }
    }
    return total;
  }

  /** A hold that the sweep has ended, with its verdict. */
  private record Ended(TaskTransition transition, HoldEnd.Verdict verdict) {}

  private List<Ended> endHolds(
      TaskTable table, List<Long> numbers, TaskTypeConfig type, Ending ending) {
    List<Ended> ended =
        leases.lockExpired(table, ending, numbers).stream()
            .map(row -> new Ended(HoldEnd.expired(row, type), HoldEnd.verdict(row, type)))
            .toList();
    if (!ended.isEmpty()) {
      transitions.apply(ended.stream().map(Ended::transition).toList());
    }
    return ended;
  }

  /** Counts after the commit, because a repeated transaction must not count twice. */
  private Result count(TaskTypeConfig type, List<Ended> ended) {
    int waiting = 0;
    int poisoned = 0;
    for (Ended hold : ended) {
      waiting += hold.transition().makesWaiting() ? 1 : 0;
      poisoned += hold.verdict() == HoldEnd.Verdict.POISON ? 1 : 0;
      pulse.expired(hold.transition(), hold.verdict());
    }
    int failed = ended.size() - waiting;
    return new Result(waiting, failed, poisoned);
  }
}
