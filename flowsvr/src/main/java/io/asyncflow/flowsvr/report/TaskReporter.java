package io.asyncflow.flowsvr.report;

import static io.asyncflow.flowsvr.tasktable.Freshness.RECENT;
import static java.util.Collections.disjoint;
import static java.util.Collections.emptyIterator;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.concurrent.NaturalBatches;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskLimits;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.HoldEnd;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/**
 * Takes reports of what holds came to.
 *
 * <p>Each hold gets exactly one accepted report: the one that names the epoch of the task's last
 * hold before that epoch has reported. Each report is judged by the row as it was read, and written
 * by a statement whose WHERE says that the row is still so.
 *
 * <p>A small call takes two statements a table and no lock, unless a task in it is part of a job.
 * Calls that come at the same time are written together: the rows are locked in the order of their
 * ids, and changed by one statement a table.
 *
 * <p>Long logs are not read for many rows at once, nor for many calls: where any row has one, the
 * call is reported in parts, and only some such calls at a time. Calls that are written together
 * read a few; where there are more, the calls whose rows have them go alone.
 */
@Service
public class TaskReporter {

  private static final Logger log = LoggerFactory.getLogger(TaskReporter.class);

  /** As many reports of one call are a batch by themselves, and wait for nobody else's. */
  private static final int MANY = TaskStore.TRANSITIONS_A_STATEMENT;

  private static final int TRIES_WITHOUT_LOCK = 3;

  /** Long logs that are read for calls written together, of 64 KB each. */
  private static final int FEW_LONG_LOGS = 16;

  /** Calls with long logs that are written at a time; each has some 20 MB in memory. */
  private static final int LARGE_AT_ONCE = 4;

  private static final Duration LARGE_PATIENCE = Duration.ofSeconds(2);

  private final TaskTypes types;
  private final TaskFamilies families;
  private final TaskStore store;
  private final RetryingTransactions transactions;
  private final Events events;
  private final TaskMeters meters;
  private final NaturalBatches<TaskTable, List<HeldReport>, List<ReportResult>> smallCalls;
  private final Semaphore largeCalls = new Semaphore(LARGE_AT_ONCE);

  TaskReporter(
      TaskTypes types,
      TaskFamilies families,
      TaskStore store,
      RetryingTransactions transactions,
      Events events,
      TaskMeters meters,
      @Value("${flow.small-reports-at-once:150}") int smallCallsAtOnce) {
    this.types = types;
    this.families = families;
    this.store = store;
    this.transactions = transactions;
    this.events = events;
    this.meters = meters;
    this.smallCalls = new NaturalBatches<>(smallCallsAtOnce, new SmallCalls());
  }

  /**
   * Judges each report for itself; a refused one does not touch the others.
   *
   * @param reports well-formed ones
   * @return what became of each, in order
   * @throws io.asyncflow.api.FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if too many
   *     reports are being written; nothing was done of these
   */
  public List<ReportResult> report(List<HeldReport> reports) {
    ReportResult[] results = new ReportResult[reports.size()];
    Set<TaskTable> existing = existingTables(reports);
    Map<TaskTable, List<Integer>> positions = new TreeMap<>();
    for (int i = 0; i < results.length; i++) {
      TaskId id = reports.get(i).task();
      if (existing.contains(id.table())) {
        positions.computeIfAbsent(id.table(), t -> new ArrayList<>()).add(i);
      } else {
        results[i] = noSuchTask(reports.get(i));
      }
    }
    boolean isSmall = reports.size() < MANY && positions.size() == 1;
    RuntimeException failure = null;
    int failed = 0;
    for (Map.Entry<TaskTable, List<Integer>> ofTable : positions.entrySet()) {
      TaskTable table = ofTable.getKey();
      List<HeldReport> here = ofTable.getValue().stream().map(reports::get).toList();
      List<ReportResult> judged;
      try {
        judged = isSmall ? smallCalls.call(table, here) : reportInto(table, here);
      } catch (RuntimeException e) {
        if (positions.size() > 1) {
          log.warn("the reports into {} could not be written", table, e);
        }
        failure = e;
        failed++;
        judged = here.stream().map(TaskReporter::notNow).toList();
      }
      for (int i = 0; i < judged.size(); i++) {
        meters.reported(table.type().name(), wordFor(here.get(i), judged.get(i)));
        results[ofTable.getValue().get(i)] = judged.get(i);
      }
    }
    // Of several tables, one that fails must not hide what was done in another.
    if (failed > 0 && failed == positions.size()) {
      throw failure;
    }
    return Arrays.asList(results);
  }

  private static String wordFor(HeldReport report, ReportResult result) {
    return isAccepted(result) ? report.report().outcome().name() : result.outcome().name();
  }

  private static ReportResult notNow(HeldReport report) {
    return ReportResult.refused(
        report.task().toString(),
        ErrorCode.UNAVAILABLE,
        "it could not be written now; report it again");
  }

  final class SmallCalls
      implements NaturalBatches.Work<TaskTable, List<HeldReport>, List<ReportResult>> {

    @Override
    public List<ReportResult> alone(TaskTable table, List<HeldReport> reports) {
      boolean tellsRepeats =
          reports.stream().allMatch(report -> report.report().reportId() != null);
      return reports.size() == 1 || tellsRepeats
          ? reportWithoutLock(table, reports)
          : reportInto(table, reports);
    }

    /** Waits for no lock: a row that somebody has locked is no matter of the other calls. */
    @Override
    public List<List<ReportResult>> together(TaskTable table, List<List<HeldReport>> calls) {
      try {
        return together(table, calls, Set.of());
      } catch (LongLogException e) {
        return together(table, calls, e.numbers);
      }
    }

    /**
     * @param without the numbers of tasks whose calls are left to go alone
     */
    private List<List<ReportResult>> together(
        TaskTable table, List<List<HeldReport>> calls, Set<Long> without) {
      Predicate<List<HeldReport>> fits = call -> disjoint(numbersOf(call), without);
      List<HeldReport> all = calls.stream().filter(fits).flatMap(List::stream).toList();
      Iterator<ReportResult> results =
          all.isEmpty()
              ? emptyIterator()
              : writeIn(table, all, transactions::executeOnce, this::lock).iterator();
      return calls.stream()
          .map(call -> fits.test(call) ? call.stream().map(r -> results.next()).toList() : null)
          .toList();
    }

    /** With long logs, too, where they are few. */
    private List<TaskRow> lock(TaskTable table, Collection<Long> numbers) {
      List<TaskRow> rows = store.lockBrieflyAtOnce(table, numbers);
      Set<Long> unread = withoutLogs(rows);
      if (unread.isEmpty() || unread.size() > FEW_LONG_LOGS) {
        return rows;
      }
      List<TaskRow> whole = new ArrayList<>(store.lock(table, unread));
      rows.stream().filter(row -> row.scheduleLog() != null).forEach(whole::add);
      return whole;
    }
  }

  /** Gives tasks back that were held but never delivered. */
  public void release(List<Task> undelivered) {
    report(undelivered.stream().map(HeldReport::releaseOf).toList());
  }

  private Set<TaskTable> existingTables(List<HeldReport> reports) {
    Set<TaskTable> asked =
        reports.stream()
            .map(report -> report.task().table())
            .filter(table -> types.find(table.type()).isPresent())
            .collect(toSet());
    return families.existing(asked, RECENT);
  }

  private List<ReportResult> reportInto(TaskTable table, List<HeldReport> reports) {
    try {
      return writeIn(table, reports, transactions::execute, store::lockBriefly);
    } catch (LongLogException e) {
      return reportInParts(table, reports);
    }
  }

  /** Rows were read without their long logs, and nothing was written. */
  private static final class LongLogException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Set<Long> numbers;

    LongLogException(Set<Long> numbers) {
      this.numbers = numbers;
    }
  }

  private static List<TaskRow> requireLogs(List<TaskRow> rows) {
    Set<Long> unread = withoutLogs(rows);
    if (!unread.isEmpty()) {
      throw new LongLogException(unread);
    }
    return rows;
  }

  /** The numbers of the rows that were read without their long logs. */
  private static Set<Long> withoutLogs(List<TaskRow> rows) {
    return rows.stream()
        .filter(row -> row.scheduleLog() == null)
        .map(row -> row.id().number())
        .collect(toSet());
  }

  /** What was done of the first parts must not be hidden by one that fails. */
  private List<ReportResult> reportInParts(TaskTable table, List<HeldReport> reports) {
    awaitMemory();
    try {
      List<ReportResult> results = new ArrayList<>(reports.size());
      for (int from = 0; from < reports.size(); from += TaskLimits.SLICE) {
        int to = Math.min(from + TaskLimits.SLICE, reports.size());
        try {
          results.addAll(
              writeIn(table, reports.subList(from, to), transactions::execute, store::lock));
        } catch (RuntimeException e) {
          if (results.isEmpty()) {
            throw e;
          }
          log.warn("{} reports into {} could not be written", reports.size() - from, table, e);
          reports.subList(from, reports.size()).forEach(report -> results.add(notNow(report)));
          return results;
        }
      }
      return results;
    } finally {
      largeCalls.release();
    }
  }

  private void awaitMemory() {
    try {
      if (largeCalls.tryAcquire(LARGE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new FlowException(
        ErrorCode.LIMIT_EXCEEDED,
        "too many reports of tasks with long logs at the moment, nothing was done");
  }

  /**
   * Reads, judges and writes; anew if a row has changed in between. Where only some of the rows had
   * changed, nobody knows which reports were written: all are judged once more under the lock, and
   * their ids tell those that were, which are then {@link ReportResult.Verdict#ALREADY_DONE}.
   */
  private List<ReportResult> reportWithoutLock(TaskTable table, List<HeldReport> reports) {
    TaskTypeConfig type = types.require(table.type());
    List<Long> numbers = numbersOf(reports);
    for (int i = 0; i < TRIES_WITHOUT_LOCK; i++) {
      List<TaskRow> rows =
          numbers.size() == 1 ? store.find(table, numbers) : store.findBriefly(table, numbers);
      if (!withoutLogs(rows).isEmpty()) {
        return reportInParts(table, reports);
      }
      Judged judged = judge(reports, rows, type);
      List<TaskTransition> accepted = List.copyOf(judged.accepted());
      if (accepted.isEmpty()) {
        return judged.results();
      }
      if (accepted.stream().anyMatch(to -> to.before().place() != null)) {
        break; // their jobs are counted in the same transaction
      }
      int written = transactions.executeStatement(() -> store.applyIfUnchanged(table, accepted));
      if (written == accepted.size()) {
        tellOf(type, accepted);
        return judged.results();
      }
      if (written > 0) {
        events.publish(new TasksWaiting(type.type())); // perhaps
        break;
      }
    }
    return reportInto(table, reports);
  }

  /** What reports came to, and what those that were accepted make of their tasks. */
  private record Judged(List<ReportResult> results, Collection<TaskTransition> accepted) {}

  /**
   * @param transaction runs what locks, judges and writes, and commits it
   * @param lock locks rows of a table by their numbers, and reads them
   * @throws LongLogException if it has left any log out
   */
  private List<ReportResult> writeIn(
      TaskTable table,
      List<HeldReport> reports,
      Function<Supplier<Judged>, Judged> transaction,
      BiFunction<TaskTable, Collection<Long>, List<TaskRow>> lock) {
    TaskTypeConfig type = types.require(table.type());
    List<Long> numbers = numbersOf(reports);
    Judged judged =
        transaction.apply(
            () -> {
              Judged all = judge(reports, requireLogs(lock.apply(table, numbers)), type);
              store.apply(table, List.copyOf(all.accepted()));
              return all;
            });
    tellOf(type, judged.accepted());
    return judged.results();
  }

  private static List<Long> numbersOf(List<HeldReport> reports) {
    return reports.stream().map(report -> report.task().number()).distinct().toList();
  }

  private static Judged judge(List<HeldReport> reports, List<TaskRow> rows, TaskTypeConfig type) {
    Map<Long, TaskRow> rowsByNumber = new HashMap<>();
    rows.forEach(row -> rowsByNumber.put(row.id().number(), row));
    List<ReportResult> results = new ArrayList<>(reports.size());
    Map<Long, TaskTransition> accepted = new TreeMap<>();
    for (HeldReport report : reports) {
      long number = report.task().number();
      TaskRow row = rowsByNumber.get(number);
      ReportResult result = judge(row, report);
      if (isAccepted(result)) {
        TaskTransition to = HoldEnd.reported(row, report.report(), type);
        accepted.put(number, to);
        rowsByNumber.put(number, to.after()); // a second report of the task is judged by it
      }
      results.add(result);
    }
    return new Judged(results, accepted.values());
  }

  private void tellOf(TaskTypeConfig type, Collection<TaskTransition> written) {
    long failed = written.stream().filter(TaskTransition::makesFailed).count();
    if (failed > 0) {
      meters.failed(type.type().name(), failed);
    }
    // Where the type's limit keeps tasks waiting, the end of any makes room for another.
    boolean makesRoom = type.maxExecuting() > 0 && !written.isEmpty();
    if (makesRoom || written.stream().anyMatch(TaskTransition::makesWaiting)) {
      events.publish(TasksWaiting.after(type.type(), written));
    }
  }

  /** Accepted, done before, or refused; by the row as it was read. */
  static ReportResult judge(TaskRow row, HeldReport report) {
    return row == null ? noSuchTask(report) : HoldFence.verdict(row, report.report());
  }

  private static boolean isAccepted(ReportResult result) {
    return result.outcome() == ReportResult.Verdict.ACCEPTED;
  }

  private static ReportResult noSuchTask(HeldReport report) {
    return ReportResult.refused(
        report.task().toString(), ErrorCode.NO_SUCH_TASK, "there is no task " + report.task());
  }
}
