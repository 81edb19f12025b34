package io.asyncflow.console.page.task;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.find.FindClient;
import io.asyncflow.api.find.TaskHistory;
import io.asyncflow.api.find.Why;
import io.asyncflow.api.table.TableClient;
import io.asyncflow.api.table.TaskTable;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.TaskWords;
import io.asyncflow.console.page.TypeNames;
import java.util.List;
import java.util.Locale;

/**
 * Makes the calls of the page of a task. The task itself is needed; of the rest, the page is shown
 * without what cannot be read at the moment.
 */
record TaskReading(Visit visit, String id) {

  private static final int LONGEST_CONTEXT = 4_096;

  private static final Call<Task> TASK =
      Call.to("/api/task/getTask", Answer.of(Found.class, Found::taskData));
  private static final Call<List<StoredFile>> FILES =
      Call.to("/api/store/list", Answer.of(Objects.class, Objects::objectList));
  private static final Call<List<TaskController.DoneAct>> DONE =
      Call.to("/api/task/getActs", Answer.of(Acts.class, Acts::acts));

  private record Found(Task taskData) {}

  private record Objects(List<StoredFile> objectList) {}

  private record Acts(List<TaskController.DoneAct> acts) {}

  Task task() {
    return visit.send(TASK.with("taskId", id));
  }

  /** {@code null} if it cannot be told now. */
  Why why() {
    return Visit.orElse(() -> new FindClient(visit.api()).why(id), null);
  }

  TaskController.Past past(Task task) {
    TaskHistory history = Visit.orElse(() -> new FindClient(visit.api()).history(id), null);
    return history == null
        ? null
        : new TaskController.Past(
            Timeline.of(history.entries(), task.taskStatus()), history.entries(), history.gaps());
  }

  List<StoredFile> files() {
    return Visit.orElse(() -> visit.send(FILES.with("taskId", id)), null);
  }

  List<TaskController.DoneAct> done() {
    return visit.send(DONE.with("taskId", id));
  }

  TaskController.Contents contents(Task task) {
    if (!visit.may("CONTEXT_READ")) {
      return null;
    }
    JsonTree context = JsonTree.of(task.taskContext());
    boolean mayBeEdited =
        task.taskContext() != null
            && task.taskContext().length() <= LONGEST_CONTEXT
            && !context.isCovered();
    return new TaskController.Contents(
        context,
        JsonTree.of(task.result()),
        JsonTree.of(task.scheduleLog()),
        mayBeEdited ? task.taskContext() : null);
  }

  /** What is known of a task that is not there. */
  TaskController.Gone gone(String said) {
    if (!id.matches(TaskWords.TASK)) {
      return new TaskController.Gone(id, said, "", "", List.of(), null, List.of());
    }
    String type = typeOf(id);
    List<String> tables = Visit.orElse(() -> tables(type), List.of());
    Integer days = tables.isEmpty() ? null : Visit.orElse(() -> retentionDays(type), null);
    return new TaskController.Gone(
        id,
        said,
        type,
        "t_" + id.substring(id.indexOf('_') + 1).toLowerCase(Locale.ROOT),
        tables,
        days,
        Visit.orElse(this::done, List.of()));
  }

  private static String typeOf(String id) {
    return id.replaceFirst("^[0-9]+_", "")
        .replaceFirst("_task_[0-9]+$", "")
        .toLowerCase(Locale.ROOT);
  }

  private List<String> tables(String type) {
    return new TableClient(visit.api()).list(type).stream().map(TaskTable::table).toList();
  }

  private Integer retentionDays(String type) {
    return TypeNames.find(visit, type).map(TaskTypeSettings::retentionDays).orElse(null);
  }
}
