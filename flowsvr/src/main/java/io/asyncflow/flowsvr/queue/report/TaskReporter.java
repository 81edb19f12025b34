package io.asyncflow.flowsvr.queue.report;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.base.pulse.TaskPulse;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.concurrent.NaturalBatches;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.OutOfScopeException;
import io.asyncflow.flowsvr.task.lane.Lanes;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
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
 */
@Service
public class TaskReporter {

  private static final Logger log = LoggerFactory.getLogger(TaskReporter.class);

  /** A part with at least this many reports is not batched with others. */
  private static final int MIN_OWN_BATCH = TransitionStore.MAX_TRANSITIONS_PER_STATEMENT;

  private static final int ATTEMPTS_WITHOUT_LOCK = 3;

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
    Map<Part, List<Integer>> parts = partsOf(reports, results);
    RuntimeException failure = null;
    int failed = 0;
    for (Part part : parts.keySet()) {
      List<Integer> positions = parts.get(part);
      List<ParsedReport> ofPart = positions.stream().map(reports::get).toList();
      List<ReportResult> judged;
      try {
        judged = write(part.table(), ofPart);
      } catch (RuntimeException e) {
        if (parts.size() > 1) {
          log.warn("the reports into {} could not be written", part.table(), e);
        }
        failure = e;
        failed++;
        judged = ofPart.stream().map(TaskReporter::unavailable).toList();
      }
      for (int i = 0; i < judged.size(); i++) {
        if (!isAccepted(judged.get(i))) {
          meters.refused(part.table().type().name(), judged.get(i).outcome().name());
        }
        results[positions.get(i)] = judged.get(i);
      }
    }
    // If one of several parts fails, the results of the others must still be returned.
    if (failed > 0 && failed == parts.size()) {
      throw failure;
    }
    return Arrays.asList(results);
  }

  /** Releases tasks that were held but not delivered. */
  public void release(List<Task> undelivered) {
    report(undelivered.stream().map(ParsedReport::releaseOf).toList());
  }

  /**
   * Reports of a call on tasks of one table, which are written together. A report that creates
   * tasks is a part of its own.
   *
   * @param run counts how often such a report began or ended before
   */
  private record Part(TaskTable table, int run) {}

  /**
   * The positions of the reports of each part, in order.
   *
   * @param results receives those of reports on tasks of tables that do not exist
   */
  private Map<Part, List<Integer>> partsOf(List<ParsedReport> reports, ReportResult[] results) {
    Set<TaskTable> tables =
        reports.stream()
            .map(report -> report.task().table())
            .filter(table -> types.find(table.type()).isPresent())
            .collect(toSet());
    Set<TaskTable> existing = families.existing(tables, RECENT);
    Map<Part, List<Integer>> parts = new LinkedHashMap<>();
    int run = 0;
    for (int i = 0; i < results.length; i++) {
      ParsedReport report = reports.get(i);
      TaskTable table = report.task().table();
      if (!existing.contains(table)) {
        results[i] = noSuchTask(report);
        continue;
      }
      run += report.isCreating() ? 1 : 0;
      parts.computeIfAbsent(new Part(table, run), part -> new ArrayList<>()).add(i);
      run += report.isCreating() ? 1 : 0;
    }
    return parts;
  }

  private List<ReportResult> write(TaskTable table, List<ParsedReport> given) {
    List<ParsedReport> reports = inLanes(table, given);
    if (reports.get(0).isCreating()) {
      return publish(table, creatingReports.write(reports.get(0)));
    }
    return reports.size() < MIN_OWN_BATCH
        ? smallCalls.call(table, reports)
        : reportLocked(table, reports, true);
  }

  /** Makes lanes before the transaction, for those of the reports that may be accepted. */
  private List<ParsedReport> inLanes(TaskTable table, List<ParsedReport> reports) {
    if (reports.stream().noneMatch(ParsedReport::lacksLane)) {
      return reports;
    }
    Map<Long, TaskRow> rows = byNumber(store.find(table, numbersOf(reports)));
    TaskTypeConfig type = types.require(table.type());
    Predicate<ParsedReport> isOpen =
        report ->
            report.lacksLane()
                && isAccepted(
                    judge(rows.get(report.task().number()), report.inLane(Lane.OPEN), type));
    Set<Set<String>> sets =
        reports.stream()
            .filter(isOpen)
            .map(report -> Set.copyOf(report.report().workerIds()))
            .collect(toSet());
    Map<Set<String>, String> laneOf = lanes.ofEach(sets, table);
    return reports.stream()
        .map(
            report ->
                isOpen.test(report)
                    ? report.inLane(laneOf.get(Set.copyOf(report.report().workerIds())))
                    : report)
        .toList();
  }

  final class SmallCalls
      implements NaturalBatches.Work<TaskTable, List<ParsedReport>, List<ReportResult>> {

    @Override
    public List<ReportResult> alone(TaskTable table, List<ParsedReport> reports) {
      boolean areRepeatable =
          reports.stream().allMatch(report -> report.report().reportId() != null);
      return reports.size() == 1 || areRepeatable
          ? reportWithoutLock(table, reports)
          : reportLocked(table, reports, true);
    }

    /** Waits for no lock, because a locked row must not delay the other calls. */
    @Override
    public List<List<ReportResult>> together(TaskTable table, List<List<ParsedReport>> calls) {
      Iterator<ReportResult> results =
          reportLocked(table, calls.stream().flatMap(List::stream).toList(), false).iterator();
      return calls.stream()
          .map(call -> call.stream().map(report -> results.next()).toList())
          .toList();
    }
  }

  /**
   * Reads, judges and writes; starts over if a row has changed in between. If only some of the rows
   * had changed, it is unknown which reports were written: then all are judged again under the
   * lock, and those written are recognized by their ids as {@link
   * ReportResult.Verdict#ALREADY_DONE}.
   */
  private List<ReportResult> reportWithoutLock(TaskTable table, List<ParsedReport> reports) {
    for (int i = 0; i < ATTEMPTS_WITHOUT_LOCK; i++) {
      Judged judged = judge(table, reports, store.find(table, numbersOf(reports)));
      List<TaskTransition> accepted = judged.accepted();
      if (accepted.isEmpty()) {
        return judged.results();
      }
      if (accepted.stream().anyMatch(transitions::needsLock)) {
        break; // more is written in the same transaction
      }
      int written = transactions.retrying(() -> transitions.applyIfUnchanged(table, accepted));
      if (written == accepted.size()) {
        return publish(table, judged);
      }
      if (written > 0) {
        events.publish(new TasksWaiting(table.type())); // some may have been written
        break;
      }
    }
    return reportLocked(table, reports, true);
  }

  /**
   * @param waits whether to wait for locks, and to begin again after a deadlock
   */
  private List<ReportResult> reportLocked(
      TaskTable table, List<ParsedReport> reports, boolean waits) {
    List<Long> numbers = numbersOf(reports);
    Supplier<Judged> work =
        () -> {
          List<TaskRow> rows =
              waits ? store.lock(table, numbers) : store.lockAtOnce(table, numbers);
          Judged judged = judge(table, reports, rows);
          transitions.apply(judged.accepted());
          return judged;
        };
    return publish(table, waits ? transactions.execute(work) : transactions.executeOnce(work));
  }

  private static List<Long> numbersOf(List<ParsedReport> reports) {
    return reports.stream().map(report -> report.task().number()).distinct().toList();
  }

  private static Map<Long, TaskRow> byNumber(List<TaskRow> rows) {
    return rows.stream().collect(toMap(row -> row.id().number(), row -> row));
  }

  /** The results of reports and the transitions of the accepted ones, in the order of the ids. */
  record Judged(List<ReportResult> results, List<TaskTransition> accepted) {}

  private Judged judge(TaskTable table, List<ParsedReport> reports, List<TaskRow> read) {
    TaskTypeConfig type = types.require(table.type());
    Map<Long, TaskRow> rows = byNumber(read);
    List<ReportResult> results = new ArrayList<>(reports.size());
    Map<Long, TaskTransition> accepted = new TreeMap<>();
    for (ParsedReport report : reports) {
      long number = report.task().number();
      ReportResult result = judge(rows.get(number), report, type);
      if (isAccepted(result)) {
        TaskTransition transition = report.transition(rows.get(number), type);
        accepted.put(number, transition);
        rows.put(number, transition.after()); // a second report is judged by the changed row
      }
      results.add(result);
    }
    return new Judged(results, List.copyOf(accepted.values()));
  }

  private List<ReportResult> publish(TaskTable table, Judged written) {
    List<TaskTransition> accepted = written.accepted();
    accepted.forEach(pulse::reported);
    // With a max_executing, the end of any task lets another one be claimed.
    boolean makesRoom = types.require(table.type()).maxExecuting() > 0 && !accepted.isEmpty();
    if (makesRoom || accepted.stream().anyMatch(TaskTransition::makesWaiting)) {
      events.publish(TasksWaiting.after(table.type(), accepted));
    }
    return written.results();
  }

  /**
   * The verdict on a report. One that needs a lane and has none did not seem acceptable before, and
   * must be sent again.
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
    try {
      if (!report.stages().contains(row.stage())) {
        throw new OutOfScopeException("stage", row.stage());
      }
      type.sealRule().check(type.type().name(), report.report().taskContext(), "taskContext");
      type.sealRule().check(type.type().name(), report.report().result(), "result");
      return report.lacksLane() ? unavailable(report) : verdict;
    } catch (FlowException e) {
      return refused(report, e.errorCode(), e.getMessage());
    }
  }

  static boolean isAccepted(ReportResult result) {
    return result.outcome() == ReportResult.Verdict.ACCEPTED;
  }

  private static ReportResult unavailable(ParsedReport report) {
    return refused(
        report, ErrorCode.UNAVAILABLE, "the report could not be written now; send it again");
  }

  private static ReportResult noSuchTask(ParsedReport report) {
    return refused(report, ErrorCode.NO_SUCH_TASK, "there is no task " + report.task());
  }

  static ReportResult refused(ParsedReport report, ErrorCode code, String why) {
    return ReportResult.refused(report.task().toString(), code, why);
  }
}
