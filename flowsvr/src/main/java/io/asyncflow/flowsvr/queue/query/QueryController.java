package io.asyncflow.flowsvr.queue.query;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.StatusBits;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.row.TaskAuthorization;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.TaskFields;
import java.util.Set;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task")
class QueryController {

  private final TaskQueries queries;
  private final TaskAuthorization reach;

  QueryController(TaskQueries queries, TaskAuthorization reach) {
    this.queries = queries;
    this.reach = reach;
  }

  record GetTask(String taskId, String taskType, String idempotencyKey) {}

  record GetTaskList(String taskType, Integer status, Integer limit, String cursor) {}

  record GetUserTaskList(String userId, String statusList, Integer limit, String cursor) {}

  record Found(Task taskData) {}

  @Takes(summary = "Reads a task, by its id or by its key", shape = GetTask.class)
  @Needs(Verb.TASK_READ)
  @GetOrPost({"/getTask", "/get_task"})
  Envelope<Found> getTask(Fields in, Caller caller) {
    if (in.has("idempotencyKey")) {
      return Envelope.ok(found(getTaskByKey(in, caller), caller));
    }
    TaskId id = TaskFields.soughtId(in);
    in.refuseIfBad();
    reach.require(id, caller);
    return Envelope.ok(found(queries.get(id), caller));
  }

  private Task getTaskByKey(Fields in, Caller caller) {
    TaskType type = TaskFields.existingType(in);
    String key = TaskFields.existingKey(in);
    if (in.has("taskId")) {
      in.refuse("taskId", "must not be given together with idempotencyKey");
    }
    in.refuseIfBad();
    caller.requireType(type.name());
    return queries.get(type, key, caller::seesUser);
  }

  @Takes(summary = "Lists tasks of a type, newest first", shape = GetTaskList.class, list = true)
  @Needs(Verb.TASK_READ)
  @GetOrPost({"/getTaskList", "/get_task_list"})
  Envelope<TaskPage> getTaskList(Fields in, Caller caller) {
    TaskType type = TaskFields.existingType(in);
    Set<TaskStatus> statuses = StatusBits.read(in, "status");
    int limit = PageFields.limit(in);
    String cursor = PageFields.cursor(in);
    in.refuseIfBad();
    caller.requireType(type.name());
    return shown(queries.list(type, statuses, limit, cursor, caller.scope().users()), caller);
  }

  @Takes(
      summary = "Lists tasks of a user, newest first",
      shape = GetUserTaskList.class,
      list = true)
  @Needs(Verb.TASK_READ)
  @GetOrPost({"/getUserTaskList", "/get_user_task_list"})
  Envelope<TaskPage> getUserTaskList(Fields in, Caller caller) {
    String userId = TaskFields.userId(in);
    Set<TaskStatus> statuses = StatusBits.read(in, "statusList");
    int limit = PageFields.limit(in);
    String cursor = PageFields.cursor(in);
    in.refuseIfBad();
    caller.requireUser(userId);
    return shown(
        queries.listOfUser(userId, statuses, limit, cursor, caller.scope().types()), caller);
  }

  private static Found found(Task task, Caller caller) {
    return new Found(caller.shown(task, Task::withoutContents));
  }

  private static Envelope<TaskPage> shown(TaskPage page, Caller caller) {
    return Envelope.ok(
        new TaskPage(caller.allShown(page.taskList(), Task::withoutContents), page.nextCursor()));
  }
}
