package io.asyncflow.flowsvr.query;

import static org.springframework.web.bind.annotation.RequestMethod.GET;
import static org.springframework.web.bind.annotation.RequestMethod.POST;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.task.TaskLimits;
import io.asyncflow.flowsvr.task.TaskReach;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.StatusBits;
import io.asyncflow.flowsvr.web.read.Takes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.Set;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task")
class QueryController {

  private static final int MAX_PAGE = 1_000;
  private static final int DEFAULT_PAGE = 100;
  private static final int MAX_CURSOR = 64;

  private final TaskQueries queries;
  private final TaskReach reach;

  QueryController(TaskQueries queries, TaskReach reach) {
    this.queries = queries;
    this.reach = reach;
  }

  record GetTask(String taskId, String taskType, String idempotencyKey) {}

  record GetTaskList(String taskType, Integer status, Integer limit, String cursor) {}

  record GetUserTaskList(String userId, String statusList, Integer limit, String cursor) {}

  record Found(Task taskData) {}

  @Takes(summary = "Reads a task, by its id or by its key", shape = GetTask.class)
  @Needs(Verb.TASK_READ)
  @RequestMapping(
      path = {"/getTask", "/get_task"},
      method = {GET, POST})
  Envelope<Found> getTask(Fields in, Caller caller) {
    if (in.has("idempotencyKey")) {
      return Envelope.ok(found(getTaskByKey(in, caller), caller));
    }
    if (!in.has("taskId")) {
      in.refuse("taskId", "is required, or taskType and idempotencyKey in its place");
    }
    TaskId id = in.text("taskId").as(TaskId::parse, "is not a task id");
    in.refuseIfBad();
    reach.require(id, caller);
    return Envelope.ok(found(queries.get(id), caller));
  }

  private Task getTaskByKey(Fields in, Caller caller) {
    TaskType type = in.text("taskType").required().as(TaskType::parse, "is not a valid task type");
    String key =
        in.text("idempotencyKey").required().ascii().max(TaskLimits.IDEMPOTENCY_KEY).value();
    if (in.has("taskId")) {
      in.refuse("taskId", "must not be given together with idempotencyKey");
    }
    in.refuseIfBad();
    caller.requireType(type.name());
    return queries.get(type, key, caller::seesUser);
  }

  @Takes(summary = "Lists tasks of a type, newest first", shape = GetTaskList.class, list = true)
  @Needs(Verb.TASK_READ)
  @RequestMapping(
      path = {"/getTaskList", "/get_task_list"},
      method = {GET, POST})
  Envelope<TaskPage> getTaskList(Fields in, Caller caller) {
    TaskType type = in.text("taskType").required().as(TaskType::parse, "is not a valid task type");
    Set<TaskStatus> statuses = StatusBits.read(in, "status");
    int limit = limit(in);
    String cursor = cursor(in);
    in.refuseIfBad();
    caller.requireType(type.name());
    return page(queries.list(type, statuses, limit, cursor, caller.scope().users()), caller);
  }

  @Takes(
      summary = "Lists tasks of a user, newest first",
      shape = GetUserTaskList.class,
      list = true)
  @Needs(Verb.TASK_READ)
  @RequestMapping(
      path = {"/getUserTaskList", "/get_user_task_list"},
      method = {GET, POST})
  Envelope<TaskPage> getUserTaskList(Fields in, Caller caller) {
    String userId = in.text("userId").required().name().max(TaskLimits.USER_ID).value();
    Set<TaskStatus> statuses = StatusBits.read(in, "statusList");
    int limit = limit(in);
    String cursor = cursor(in);
    in.refuseIfBad();
    caller.requireUser(userId);
    return page(
        queries.listOfUser(userId, statuses, limit, cursor, caller.scope().types()), caller);
  }

  private static Found found(Task task, Caller caller) {
    return new Found(caller.shown(task, Task::withoutContents));
  }

  private static Envelope<TaskPage> page(TaskPage page, Caller caller) {
    List<Task> tasks = caller.allShown(page.taskList(), Task::withoutContents);
    return Envelope.ok(new TaskPage(tasks, page.nextCursor()));
  }

  private static int limit(Fields in) {
    return in.number("limit").between(1, MAX_PAGE).or(DEFAULT_PAGE);
  }

  private static String cursor(Fields in) {
    return in.text("cursor").ascii().max(MAX_CURSOR).value();
  }
}
