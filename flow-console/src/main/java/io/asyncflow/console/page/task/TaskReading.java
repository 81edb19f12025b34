package io.asyncflow.console.page.task;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.find.TaskHistory;
import io.asyncflow.api.find.Why;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.json.JsonTree;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Makes the calls of the page of a task. The task itself is needed; of the rest, the page is shown
 * without what cannot be read at the moment. Thread-safe.
 */
@Component
public class TaskReading {

  private static final int LONGEST_CONTEXT = 4_096;

  private final Calls calls;

  public TaskReading(Calls calls) {
    this.calls = calls;
  }

  Task task(String id) {
    return calls.get(Task.class, "taskData", "/api/task/getTask", Map.of("taskId", id));
  }

  /** {@code null} if it cannot be told now. */
  Why why(String id) {
    return orNull(() -> calls.get(Why.class, "why", "/api/task/why", Map.of("taskId", id)));
  }

  WhyView words(Frame frame, Why why, Task task) {
    return why == null ? null : WhyView.of(frame, why, task.taskType().toLowerCase(Locale.ROOT));
  }

  TaskViews.Past past(Task task) {
    TaskHistory history =
        orNull(() -> calls.get(TaskHistory.class, "/api/task/history", "taskId", task.taskId()));
    return history == null
        ? null
        : new TaskViews.Past(
            Timeline.of(history.entries(), task.taskStatus()), history.entries(), history.gaps());
  }

  List<StoredFile> files(String id) {
    return orNull(
        () -> calls.list(StoredFile.class, "objectList", "/api/store/list", Map.of("taskId", id)));
  }

  List<TaskViews.DoneAct> done(String id) {
    return calls.list(TaskViews.DoneAct.class, "acts", "/api/task/getActs", Map.of("taskId", id));
  }

  TaskViews.Contents contents(Frame frame, Task task) {
    if (!frame.may("CONTEXT_READ")) {
      return null;
    }
    JsonTree context = JsonTree.of(task.taskContext());
    boolean mayBeEdited =
        task.taskContext() != null
            && task.taskContext().length() <= LONGEST_CONTEXT
            && !context.isCovered();
    return new TaskViews.Contents(
        context,
        JsonTree.of(task.result()),
        JsonTree.of(task.scheduleLog()),
        mayBeEdited ? task.taskContext() : null);
  }

  TaskViews.Gone gone(Frame frame, String id, String said) {
    String type =
        id.replaceFirst("^[0-9]+_", "").replaceFirst("_task_[0-9]+$", "").toLowerCase(Locale.ROOT);
    boolean isId = id.matches("[0-9]{1,19}_[A-Za-z][A-Za-z0-9_]*_task_[0-9]{1,9}");
    List<String> tables = isId ? orElse(() -> tables(type), List.of()) : List.of();
    Integer days =
        tables.isEmpty()
            ? null
            : orNull(
                () ->
                    calls
                        .list(
                            TaskTypeSettings.class,
                            "scheduleCfgList",
                            "/api/task_schedule_cfg/list",
                            Map.of())
                        .stream()
                        .filter(settings -> settings.taskType().equalsIgnoreCase(type))
                        .map(TaskTypeSettings::retentionDays)
                        .findFirst()
                        .orElse(null));
    return new TaskViews.Gone(
        id,
        said,
        isId ? type : "",
        isId ? "t_" + id.substring(id.indexOf('_') + 1).toLowerCase(Locale.ROOT) : "",
        tables,
        days,
        isId ? orElse(() -> done(id), List.of()) : List.of());
  }

  private record Table(String table) {}

  private List<String> tables(String type) {
    return calls
        .list(Table.class, "tables", "/api/task_schedule_cfg/tables", Map.of("taskType", type))
        .stream()
        .map(Table::table)
        .toList();
  }

  private static <T> T orNull(Supplier<T> call) {
    return orElse(call, null);
  }

  private static <T> T orElse(Supplier<T> call, T otherwise) {
    try {
      return call.get();
    } catch (FlowException refused) {
      if (refused.errorCode() == ErrorCode.INTERNAL) {
        throw refused;
      }
      return otherwise;
    }
  }
}
