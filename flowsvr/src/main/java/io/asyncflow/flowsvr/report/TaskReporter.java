package io.asyncflow.flowsvr.report;

import static io.asyncflow.flowsvr.tasktable.Freshness.RECENT;
import static java.util.Collections.disjoint;
import static java.util.Collections.emptyIterator;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.access.OutOfScopeException;
import io.asyncflow.flowsvr.lane.Lanes;
import io.asyncflow.flowsvr.pulse.TaskPulse;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.concurrent.NaturalBatches;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.AnswerRoom;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.task.TransitionStore;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/**
 * Applies reports to tasks. Thread-safe.
 *
 * <p>Each hold gets exactly one accepted report: the first that names the epoch of the task's last
 * hold. Each report is judged by the row as it was read, and written by a statement guarded by the
 * values of that row. A report that creates tasks is written with them, by {@link CreatingReports}.
 *
 * <p>A small call takes two statements per table and no lock, unless one of its transitions
 * {@linkplain TransitionStore#needsLock needs one}. Concurrent calls are written together: their
 * rows are locked in the order of their ids and changed by one statement per table.
 *
 * <p>To bound memory, long logs are not read for many rows at once: a call with such rows is
 * applied in parts, and only a few such calls run at a time. Calls that are written together read a
 * few long logs; if there are more, the calls with such rows are applied alone.
 */
@Service
public class TaskReporter {

  private static final Logger log = LoggerFactory.getLogger(TaskReporter.class);

  /** A call with at least this many reports is not batched with others. */
  private static final int MIN_OWN_BATCH = TransitionStore.MAX_TRANSITIONS_PER_STATEMENT;

  private static final int ATTEMPTS_WITHOUT_LOCK = 3;

  /** The most long logs, of 64 KB each, that are read for calls written together. */
  private static final int MAX_LONG_LOGS = 16;

  /** The most calls with long logs that run at a time; each needs some 20 MB of memory. */
  private static final int MAX_LONG_LOG_CALLS = 4;

  private static final Duration LONG_LOG_CALL_TIMEOUT = Duration.ofSeconds(2);

  private final TaskTypes types;
  private final TaskFamilies families;
  private final TaskStore store;
  private final TransitionStore transitions;
  private final Lanes lanes;
  private final RetryingTransactions transactions;
  private final Events events;
  private final TaskMeters meters;
  private final TaskPulse pulse;
  private final CreatingReports creatingReports;
  private final NaturalBatches<TaskTable, List<ParsedReport>, List<ReportResult>> smallCalls;
  private final Semaphore longLogCalls = new Semaphore(MAX_LONG_LOG_CALLS);

  TaskReporter(
      TaskTypes types,
      TaskFamilies families,
      TaskStore store,
      TransitionStore transitions,
      Lanes lanes,
      RetryingTransactions transactions,
      Events events,
      TaskMeters meters,
      TaskPulse pulse,
      CreatingReports creatingReports,
      @Value("${flow.small-reports-at-once:150}") int smallCallsAtOnce) {
    this.types = types;
    this.families = families;
    this.store = store;
    this.transitions = transitions;
    this.lanes = lanes;
    this.transactions = transactions;
    this.events = events;
    this.meters = meters;
    this.pulse = pulse;
    this.creatingReports = creatingReports;
    this.smallCalls = new NaturalBatches<>(smallCallsAtOnce, new SmallCalls());
  }

  /**
   * Judges and applies each report separately; a refusal does not affect the others.
   *
   * @param reports valid reports
   * @return the result of each report, in order
   * @throws io.asyncflow.api.FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if too many
   *     reports are being written; then none of these was applied
   */
  public List<ReportResult> report(List<ParsedReport> reports) {
    ReportResult[] results = new ReportResult[reports.size()];
    Set<TaskTable> existing = existingTables(reports);
    SortedMap<TaskTable, List<Integer>> positions = new TreeMap<>();
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      TaskTable table = reports.get(i).task().table();
      if (!existing.contains(table)) {
        results[i] = noSuchTask(reports.get(i));
      } else if (reports.get(i).creates().isEmpty()) {
        positions.computeIfAbsent(table, t -> new ArrayList<>()).add(i);
      } else {
        parts.addAll(partsOf(positions));
        positions.clear();
        parts.add(new Part(table, List.of(i), this::reportAndCreate));
      }
    }
    parts.addAll(partsOf(positions));
    RuntimeException failure = null;
    int failed = 0;
    for (Part part : parts) {
      TaskTable table = part.table();
      List<ParsedReport> partReports = part.positions().stream().map(reports::get).toList();
      List<ReportResult> judged;
      try {
        judged = write(part, partReports);
      } catch (RuntimeException e) {
        if (parts.size() > 1) {
          log.warn("the reports into {} could not be written", table, e);
        }
        failure = e;
        failed++;
        judged = partReports.stream().map(TaskReporter::unavailable).toList();
      }
      for (int i = 0; i < judged.size(); i++) {
        if (!isAccepted(judged.get(i))) {
          meters.refused(table.type().name(), judged.get(i).outcome().name());
        }
        results[part.positions().get(i)] = judged.get(i);
      }
    }
    // If one of several parts fails, the results of the others must still be returned.
    if (failed > 0 && failed == parts.size()) {
      throw failure;
    }
    return Arrays.asList(results);
  }

  /** Makes the lanes before the transaction, of reports that may be accepted. */
  private List<ReportResult> write(Part part, List<ParsedReport> reports) {
    if (reports.stream().allMatch(report -> report.report().workerIds() == null)) {
      return part.write().apply(part.table(), reports);
    }
    Map<ParsedReport, ReportResult> settled = settled(part.table(), reports);
    if (settled.values().stream().anyMatch(ReportResult::stands) && haveCreates(reports)) {
      return part.write().apply(part.table(), reports); // the answer names what it created before
    }
    List<ParsedReport> others = reports.stream().filter(r -> !settled.containsKey(r)).toList();
    if (others.isEmpty()) {
      return reports.stream().map(settled::get).toList();
    }
    Iterator<ReportResult> written =
        part.write().apply(part.table(), inLanes(part.table(), others)).iterator();
    return reports.stream()
        .map(report -> settled.containsKey(report) ? settled.get(report) : written.next())
        .toList();
  }

  private static boolean haveCreates(List<ParsedReport> reports) {
    return reports.stream().anyMatch(report -> !report.creates().isEmpty());
  }

  private List<ParsedReport> inLanes(TaskTable table, List<ParsedReport> reports) {
    Set<Set<String>> sets =
        reports.stream()
            .map(report -> report.report().workerIds())
            .filter(workers -> workers != null && !workers.isEmpty())
            .map(Set::copyOf)
            .collect(toSet());
    Map<Set<String>, String> laneOf = sets.isEmpty() ? Map.of() : lanes.ofEach(sets, table);
    return reports.stream().map(report -> inLane(report, laneOf)).toList();
  }

  private static ParsedReport inLane(ParsedReport report, Map<Set<String>, String> laneOf) {
    List<String> workers = report.report().workerIds();
    return workers == null
        ? report
        : report.inLane(laneOf.getOrDefault(Set.copyOf(workers), Lane.OPEN));
  }

  /**
   * The results of those reports that name workers and change nothing, by the rows as they are, so
   * that no lane is made for them. If another report of the call on the same task may be accepted,
   * they are judged after that one.
   */
  private Map<ParsedReport, ReportResult> settled(TaskTable table, List<ParsedReport> reports) {
    Map<Long, TaskRow> rows = byNumber(store.findBriefly(table, numbersOf(reports)));
    TaskTypeConfig type = types.require(table.type());
    Map<Long, List<ParsedReport>> ofTask =
        reports.stream().collect(groupingBy(report -> report.task().number()));
    Map<ParsedReport, ReportResult> settled = new IdentityHashMap<>();
    ofTask.forEach(
        (number, ofOne) -> {
          List<ReportResult> results =
              ofOne.stream().map(report -> judge(rows.get(number), report, type)).toList();
          if (results.stream().noneMatch(TaskReporter::isAccepted)) {
            IntStream.range(0, results.size())
                .filter(k -> ofOne.get(k).report().workerIds() != null)
                .forEach(k -> settled.put(ofOne.get(k), results.get(k)));
          }
        });
    return settled;
  }

  private static Map<Long, TaskRow> byNumber(List<TaskRow> rows) {
    return rows.stream().collect(toMap(row -> row.id().number(), row -> row));
  }

  /**
   * Reports of a call that are written together.
   *
   * @param positions of the reports in the call
   */
  private record Part(
      TaskTable table,
      List<Integer> positions,
      BiFunction<TaskTable, List<ParsedReport>, List<ReportResult>> write) {}

  private List<Part> partsOf(SortedMap<TaskTable, List<Integer>> positions) {
    boolean isSmall =
        positions.size() == 1 && positions.get(positions.firstKey()).size() < MIN_OWN_BATCH;
    return positions.entrySet().stream()
        .map(
            ofTable ->
                new Part(
                    ofTable.getKey(),
                    ofTable.getValue(),
                    isSmall ? smallCalls::call : this::reportLocked))
        .toList();
  }

  private List<ReportResult> reportAndCreate(TaskTable table, List<ParsedReport> reports) {
    CreatingReports.Written written = creatingReports.write(reports.get(0));
    publish(types.require(table.type()), written.transitions());
    return List.of(written.result());
  }

  private static ReportResult unavailable(ParsedReport report) {
    return ReportResult.refused(
        report.task().toString(),
        ErrorCode.UNAVAILABLE,
        "the report could not be written now; send it again");
  }

  final class SmallCalls
      implements NaturalBatches.Work<TaskTable, List<ParsedReport>, List<ReportResult>> {

    @Override
    public List<ReportResult> alone(TaskTable table, List<ParsedReport> reports) {
      boolean areRepeatable =
          reports.stream().allMatch(report -> report.report().reportId() != null);
      return reports.size() == 1 || areRepeatable
          ? reportWithoutLock(table, reports)
          : reportLocked(table, reports);
    }

    /** Waits for no lock, because a locked row must not delay the other calls. */
    @Override
    public List<List<ReportResult>> together(TaskTable table, List<List<ParsedReport>> calls) {
      try {
        return together(table, calls, Set.of());
      } catch (LongLogException e) {
        return together(table, calls, e.numbers);
      }
    }

    /**
     * @param excluded the numbers of tasks whose calls are applied alone
     */
    private List<List<ReportResult>> together(
        TaskTable table, List<List<ParsedReport>> calls, Set<Long> excluded) {
      Predicate<List<ParsedReport>> fits = call -> disjoint(numbersOf(call), excluded);
      List<ParsedReport> batch = calls.stream().filter(fits).flatMap(List::stream).toList();
      Iterator<ReportResult> results =
          batch.isEmpty()
              ? emptyIterator()
              : writeIn(table, batch, transactions::executeOnce, this::lock).iterator();
      return calls.stream()
          .map(call -> fits.test(call) ? call.stream().map(r -> results.next()).toList() : null)
          .toList();
    }

    /** Locks and reads rows, with their long logs if they are few. */
    private List<TaskRow> lock(TaskTable table, Collection<Long> numbers) {
      List<TaskRow> rows = store.lockBrieflyAtOnce(table, numbers);
      Set<Long> unread = withoutLogs(rows);
      if (unread.isEmpty() || unread.size() > MAX_LONG_LOGS) {
        return rows;
      }
      List<TaskRow> complete = new ArrayList<>(store.lock(table, unread));
      rows.stream().filter(row -> row.scheduleLog() != null).forEach(complete::add);
      return complete;
    }
  }

  /** Releases tasks that were held but not delivered. */
  public void release(List<Task> undelivered) {
    report(undelivered.stream().map(ParsedReport::releaseOf).toList());
  }

  private Set<TaskTable> existingTables(List<ParsedReport> reports) {
    Set<TaskTable> tables =
        reports.stream()
            .map(report -> report.task().table())
            .filter(table -> types.find(table.type()).isPresent())
            .collect(toSet());
    return families.existing(tables, RECENT);
  }

  private List<ReportResult> reportLocked(TaskTable table, List<ParsedReport> reports) {
    try {
      return writeIn(table, reports, transactions::execute, store::lockBriefly);
    } catch (LongLogException e) {
      return reportInParts(table, reports);
    }
  }

  /** Rows have long logs that were not read; nothing was written. */
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

  /**
   * Applies the reports in parts. If a later part fails, the results of the earlier ones are
   * returned.
   */
  private List<ReportResult> reportInParts(TaskTable table, List<ParsedReport> reports) {
    acquireLongLogCall();
    try {
      List<ReportResult> results = new ArrayList<>(reports.size());
      for (int start = 0; start < reports.size(); start += AnswerRoom.SLICE) {
        int end = Math.min(start + AnswerRoom.SLICE, reports.size());
        try {
          results.addAll(
              writeIn(table, reports.subList(start, end), transactions::execute, store::lock));
        } catch (RuntimeException e) {
          if (results.isEmpty()) {
            throw e;
          }
          log.warn("{} reports into {} could not be written", reports.size() - start, table, e);
          reports
              .subList(start, reports.size())
              .forEach(report -> results.add(unavailable(report)));
          return results;
        }
      }
      return results;
    } finally {
      longLogCalls.release();
    }
  }

  private void acquireLongLogCall() {
    try {
      if (longLogCalls.tryAcquire(LONG_LOG_CALL_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
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
   * Reads, judges and writes; starts over if a row has changed in between. If only some of the rows
   * had changed, it is unknown which reports were written: then all are judged again under the
   * lock, and those written are recognized by their ids as {@link
   * ReportResult.Verdict#ALREADY_DONE}.
   */
  private List<ReportResult> reportWithoutLock(TaskTable table, List<ParsedReport> reports) {
    TaskTypeConfig type = types.require(table.type());
    List<Long> numbers = numbersOf(reports);
    for (int i = 0; i < ATTEMPTS_WITHOUT_LOCK; i++) {
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
      if (accepted.stream().anyMatch(transitions::needsLock)) {
        break; // more is written in the same transaction
      }
      int written =
          transactions.executeStatement(() -> transitions.applyIfUnchanged(table, accepted));
      if (written == accepted.size()) {
        publish(type, accepted);
        return judged.results();
      }
      if (written > 0) {
        events.publish(new TasksWaiting(type.type())); // some may have been written
        break;
      }
    }
    return reportLocked(table, reports);
  }

  /** The results of reports and the transitions of the accepted ones. */
  private record Judged(List<ReportResult> results, Collection<TaskTransition> accepted) {}

  /**
   * @param transaction runs the locking, judging and writing, and commits it
   * @param lock locks and reads rows of a table by their numbers
   * @throws LongLogException if {@code lock} has not read the log of a row
   */
  private List<ReportResult> writeIn(
      TaskTable table,
      List<ParsedReport> reports,
      Function<Supplier<Judged>, Judged> transaction,
      BiFunction<TaskTable, Collection<Long>, List<TaskRow>> lock) {
    TaskTypeConfig type = types.require(table.type());
    List<Long> numbers = numbersOf(reports);
    Judged judged =
        transaction.apply(
            () -> {
              Judged result = judge(reports, requireLogs(lock.apply(table, numbers)), type);
              transitions.apply(List.copyOf(result.accepted()));
              return result;
            });
    publish(type, judged.accepted());
    return judged.results();
  }

  private static List<Long> numbersOf(List<ParsedReport> reports) {
    return reports.stream().map(report -> report.task().number()).distinct().toList();
  }

  private static Judged judge(List<ParsedReport> reports, List<TaskRow> rows, TaskTypeConfig type) {
    Map<Long, TaskRow> rowsByNumber = new HashMap<>(byNumber(rows));
    List<ReportResult> results = new ArrayList<>(reports.size());
    Map<Long, TaskTransition> accepted = new TreeMap<>();
    for (ParsedReport report : reports) {
      long number = report.task().number();
      TaskRow row = rowsByNumber.get(number);
      ReportResult result = judge(row, report, type);
      if (isAccepted(result)) {
        TaskTransition transition = report.transition(row, type);
        accepted.put(number, transition);
        rowsByNumber.put(
            number, transition.after()); // a second report of the task is judged by the changed row
      }
      results.add(result);
    }
    return new Judged(results, accepted.values());
  }

  private void publish(TaskTypeConfig type, Collection<TaskTransition> written) {
    written.forEach(pulse::reported);
    // With a max_executing, the end of any task lets another one be claimed.
    boolean makesRoom = type.maxExecuting() > 0 && !written.isEmpty();
    if (makesRoom || written.stream().anyMatch(TaskTransition::makesWaiting)) {
      events.publish(TasksWaiting.after(type.type(), written));
    }
  }

  /**
   * The verdict on a report.
   *
   * @param row as it was read; {@code null} if there is none
   */
  static ReportResult judge(TaskRow row, ParsedReport report, TaskTypeConfig type) {
    if (row == null) {
      return noSuchTask(report);
    }
    ReportResult verdict = HoldFence.verdict(row, report.report());
    if (!isAccepted(verdict)) {
      return verdict;
    }
    return report.stages().contains(row.stage())
        ? sealed(verdict, report.report(), type)
        : beyondScope(report, row.stage());
  }

  /** The verdict, or a refusal if the type does not take a text of the report. */
  private static ReportResult sealed(ReportResult verdict, Report report, TaskTypeConfig type) {
    try {
      type.sealRule().check(type.type().name(), report.taskContext(), "taskContext");
      type.sealRule().check(type.type().name(), report.result(), "result");
      return verdict;
    } catch (FlowException e) {
      return ReportResult.refused(report.taskId(), e.errorCode(), e.getMessage());
    }
  }

  private static ReportResult beyondScope(ParsedReport report, String stage) {
    FlowException refusal = new OutOfScopeException("stage", stage);
    return ReportResult.refused(
        report.task().toString(), refusal.errorCode(), refusal.getMessage());
  }

  static boolean isAccepted(ReportResult result) {
    return result.outcome() == ReportResult.Verdict.ACCEPTED;
  }

  private static ReportResult noSuchTask(ParsedReport report) {
    return ReportResult.refused(
        report.task().toString(), ErrorCode.NO_SUCH_TASK, "there is no task " + report.task());
  }
}
