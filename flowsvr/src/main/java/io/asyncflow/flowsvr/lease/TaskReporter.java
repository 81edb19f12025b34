package io.asyncflow.flowsvr.lease;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.system.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskId;
import io.asyncflow.flowsvr.task.TaskRow;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TaskTransition;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;

/**
 * Takes reports of what holds came to.
 *
 * <p>Each hold gets exactly one accepted report: the one that names the epoch of the task's last
 * hold before that epoch has reported. The rows are locked in the order of their ids, judged one by
 * one, and written in one statement a table whose WHERE says the same once more.
 */
@Service
public class TaskReporter {

  private final TaskTypes types;
  private final TaskFamilies families;
  private final TaskStore store;
  private final RetryingTransactions transactions;
  private final ApplicationEventPublisher events;

  TaskReporter(
      TaskTypes types,
      TaskFamilies families,
      TaskStore store,
      RetryingTransactions transactions,
      ApplicationEventPublisher events) {
    this.types = types;
    this.families = families;
    this.store = store;
    this.transactions = transactions;
    this.events = events;
  }

  /**
   * Judges each report for itself; a refused one does not touch the others.
   *
   * @param reports well-formed ones
   * @return what became of each, in order
   */
  public List<ReportResult> report(List<Report> reports) {
    ReportResult[] results = new ReportResult[reports.size()];
    Set<TaskTable> existing = existingTables(reports);
    Map<TaskTable, List<Integer>> positions = new TreeMap<>();
    for (int i = 0; i < results.length; i++) {
      TaskId id = idOf(reports.get(i));
      if (existing.contains(id.table())) {
        positions.computeIfAbsent(id.table(), t -> new ArrayList<>()).add(i);
      } else {
        results[i] = noSuchTask(reports.get(i));
      }
    }
    positions.forEach((table, ofTable) -> reportInto(table, reports, ofTable, results));
    return Arrays.asList(results);
  }

  /** Gives tasks back that were held but never delivered. */
  void release(List<Task> undelivered) {
    report(
        undelivered.stream()
            .map(
                task ->
                    new Report(
                        task.taskId(),
                        Objects.requireNonNullElse(task.workerId(), ""),
                        task.leaseEpoch(),
                        Outcome.RELEASE,
                        null,
                        null,
                        null,
                        null,
                        null,
                        "the caller of the hold was gone",
                        null,
                        null))
            .toList());
  }

  private Set<TaskTable> existingTables(List<Report> reports) {
    Set<TaskTable> asked =
        reports.stream()
            .map(report -> idOf(report).table())
            .filter(table -> types.find(table.type()).isPresent())
            .collect(toSet());
    return families.existing(asked);
  }

  private void reportInto(
      TaskTable table, List<Report> reports, List<Integer> positions, ReportResult[] results) {
    TaskTypeConfig type = types.require(table.type());
    boolean anyWaiting =
        transactions.execute(
            () -> {
              Map<Long, TaskRow> rows = lock(table, reports, positions);
              List<TaskTransition> transitions = new ArrayList<>();
              for (int position : positions) {
                Report report = reports.get(position);
                long number = idOf(report).number();
                results[position] = judge(rows.get(number), report);
                if (results[position].outcome().equals(ReportResult.ACCEPTED)) {
                  TaskTransition to = HoldEnd.reported(rows.get(number), report, type);
                  transitions.add(to);
                  rows.put(number, to.rowAfter()); // a second report of the task is judged by it
                }
              }
              if (!transitions.isEmpty()) {
                store.apply(table, transitions);
              }
              return transitions.stream().anyMatch(TaskTransition::makesWaiting);
            });
    // Where the type's limit keeps tasks waiting, the end of any makes room for another.
    if (anyWaiting || type.maxExecuting() > 0) {
      events.publishEvent(new TasksWaiting(table.type()));
    }
  }

  private Map<Long, TaskRow> lock(TaskTable table, List<Report> reports, List<Integer> positions) {
    List<Long> numbers =
        positions.stream().map(p -> idOf(reports.get(p)).number()).distinct().toList();
    Map<Long, TaskRow> rows = new LinkedHashMap<>();
    store.lock(table, numbers).forEach(row -> rows.put(row.id().number(), row));
    return rows;
  }

  /** Accepted, done before, or refused; decided under the row's lock. */
  static ReportResult judge(TaskRow row, Report report) {
    if (row == null) {
      return noSuchTask(report);
    }
    String taskId = report.taskId();
    int epoch = report.leaseEpoch();
    boolean repeatsTheLast =
        report.reportId() != null
            && report.reportId().equals(row.reportId())
            && epoch == row.reportedEpoch();
    if (repeatsTheLast) {
      return ReportResult.alreadyDone(taskId);
    }
    if (row.status().isFinal()) {
      return ReportResult.refused(
          taskId, ErrorCode.TRANSITION_NOT_ALLOWED, "the task is final: " + row.status());
    }
    if (epoch != row.leaseEpoch() || !row.workerId().equals(report.workerId())) {
      return ReportResult.refused(
          taskId,
          ErrorCode.LEASE_LOST,
          epoch < row.leaseEpoch()
              ? "a newer hold has the epoch " + row.leaseEpoch()
              : "this worker never held the task with the epoch " + epoch);
    }
    if (epoch <= row.reportedEpoch()) {
      return ReportResult.refused(
          taskId, ErrorCode.LEASE_LOST, "the epoch " + epoch + " has reported already");
    }
    return ReportResult.accepted(taskId);
  }

  private static TaskId idOf(Report report) {
    return TaskId.parse(report.taskId()).orElseThrow();
  }

  private static ReportResult noSuchTask(Report report) {
    return ReportResult.refused(
        report.taskId(), ErrorCode.NO_SUCH_TASK, "there is no task " + report.taskId());
  }
}
