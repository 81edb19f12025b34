package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.Refusal;
import io.asyncflow.rules.field.SentFields;
import io.asyncflow.rules.field.TaskFields;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The tasks of a {@link FakeFlowServer}, guarded by its lock: finds, shows and lists them, and
 * tells of what happens to them.
 */
final class FakeTasks {

  private final FakeFlowServer server;
  private final Map<String, FakeTask> tasks = new LinkedHashMap<>();

  FakeTasks(FakeFlowServer server) {
    this.server = server;
  }

  void add(FakeTask task) {
    tasks.put(task.id(), task);
  }

  Stream<FakeTask> all() {
    return tasks.values().stream();
  }

  Stream<FakeTask> in(TaskStatus status) {
    return all().filter(task -> task.status() == status);
  }

  /** {@code null} if there is none. */
  FakeTask find(String taskId) {
    return tasks.get(taskId);
  }

  /** The task; it must exist. */
  FakeTask get(String taskId) {
    FakeTask task = find(taskId);
    if (task == null) {
      throw new FlowException(ErrorCode.NO_SUCH_TASK, "there is no task " + taskId);
    }
    return task;
  }

  /** The row of a task as it was last written. */
  TaskRow row(String taskId) {
    return get(taskId).row;
  }

  /** The row as it would be read from a table now. */
  TaskRow rowNow(FakeTask task) {
    return task.row.copy().now(server.millis()).row();
  }

  /** As lists and holds show it. */
  Task toTask(FakeTask task) {
    return rowNow(task).toTask(server.types.rulesOf(task));
  }

  /** As a look at a single task shows it: with its workers. */
  Task shown(FakeTask task) {
    return toTask(task).withWorkerIds(task.workers);
  }

  TaskPage ofType(SentFields in) {
    TaskFields.existingType(in);
    int limit = limitOf(in);
    TaskTypeSettings type = server.types.named(in.text("taskType").value());
    return page(in, in.number("status").or(0), limit, task -> server.types.of(task) == type);
  }

  TaskPage ofUser(SentFields in) {
    String userId = TaskFields.userId(in);
    int limit = limitOf(in);
    return page(in, in.number("statusList").or(0), limit, task -> task.row.userId().equals(userId));
  }

  /** The limit of a page, once all fields have been read. */
  private static int limitOf(SentFields in) {
    int limit = PageFields.limit(in);
    PageFields.cursor(in);
    in.refuseIfBad();
    return limit;
  }

  /**
   * @param statuses as bits; 0 for all
   */
  private TaskPage page(SentFields in, int statuses, int limit, Predicate<FakeTask> which) {
    server.sweep();
    long end =
        PageFields.numberOf(in.text("cursor").value())
            .orElseThrow(() -> invalid("cursor", PageFields.CURSOR_RULE));
    List<FakeTask> newestFirst =
        all()
            .filter(which)
            .filter(task -> task.number() < end)
            .filter(task -> statuses == 0 || (statuses & task.status().code()) != 0)
            .sorted(Comparator.comparingLong(FakeTask::number).reversed())
            .toList();
    List<FakeTask> page = newestFirst.subList(0, Math.min(limit, newestFirst.size()));
    boolean isLast = page.size() == newestFirst.size();
    return new TaskPage(
        page.stream().map(this::toTask).toList(),
        isLast ? null : "" + page.get(limit - 1).number());
  }

  private static FlowException invalid(String field, String message) {
    return Refusal.of(List.of(new FieldError(field, message)), 0);
  }

  void apply(FakeTask task, TaskTransition transition) {
    write(task, transition.after());
    tell(transition.kind(), task, transition.errMsg());
  }

  /** Writes the row of a task, which was read now. */
  void write(FakeTask task, TaskRow row) {
    task.row = row.copy().modifyTime(row.now()).row();
  }

  /**
   * Writes an event of the task as it is now.
   *
   * @param errMsg {@code null} for none
   */
  void tell(EventKind kind, FakeTask task, String errMsg) {
    TaskTypeSettings type = server.types.of(task);
    server.events.tell(type == null ? null : type.events(), kind, task.row, errMsg);
  }

  /** Tells the job or the schedule that counts how the task ends, if it has ended. */
  void tellOfEnd(FakeTask task) {
    TaskRow row = task.row;
    if (!row.status().isFinal()) {
      return;
    }
    if (row.place() != null) {
      server.jobs.ended(row);
    }
    if (row.fire() != null) {
      boolean failed = row.status() == TaskStatus.FAILED;
      TriggeredRun run = new TriggeredRun(task.id(), null);
      server.schedules.ended(
          row.fire(), run, row.status(), failed ? "task " + task.id() + " failed" : null);
    }
  }

  /** Tells the schedule that made a task, if one did, that its run lives again. */
  void tellOfRevival(FakeTask task) {
    if (task.row.fire() != null) {
      server.schedules.ended(task.row.fire(), new TriggeredRun(task.id(), null), null, null);
    }
  }
}
