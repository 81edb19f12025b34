package io.asyncflow.api;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The calls about tasks and their types, and those of workers. */
final class TaskCalls {

  private static final Answer<String> TASK_ID = Answer.of(TaskIdResult.class, TaskIdResult::taskId);
  private static final Answer<List<CreateResult>> CREATED_TASKS =
      Answer.of(CreatedTasks.class, CreatedTasks::results);
  private static final Answer<Task> TASK = Answer.of(TaskResult.class, TaskResult::taskData);
  private static final Answer<HoldAnswer> HELD = Answer.of(HoldResult.class, HoldResult::answer);
  private static final Answer<List<ReportResult>> OUTCOMES =
      Answer.of(OutcomesResult.class, judged -> orEmpty(judged.outcomes()));
  private static final Answer<List<TaskTypeSettings>> TASK_TYPES =
      Answer.of(TaskTypesResult.class, configured -> orEmpty(configured.scheduleCfgList()));

  private TaskCalls() {}

  static Call<CreateResult> create(NewTask task) {
    return Call.to("/api/task/createTask", CreateResult.class)
        .with("taskData", task)
        .madeBy((client, call) -> client.create(call.<NewTask>get("taskData")));
  }

  static Call<List<CreateResult>> create(List<NewTask> tasks) {
    return Call.to("/api/task/createTasks", CREATED_TASKS)
        .with("taskDataList", tasks)
        .madeBy((client, call) -> client.create(call.<List<NewTask>>get("taskDataList")));
  }

  static Call<Task> get(String taskId) {
    return Call.to("/api/task/getTask", TASK)
        .with("taskId", taskId)
        .madeBy((client, call) -> client.getTask(call.get("taskId")));
  }

  static Call<Task> get(String taskType, String idempotencyKey) {
    return Call.to("/api/task/getTask", TASK)
        .with("taskType", taskType)
        .with("idempotencyKey", idempotencyKey)
        .madeBy((client, call) -> client.getTask(call.get("taskType"), call.get("idempotencyKey")));
  }

  static Call<TaskPage> list(String taskType, TaskPageRequest request) {
    return Call.to("/api/task/getTaskList", TaskPage.class)
        .with("taskType", taskType)
        .with("status", bitsOf(request))
        .with("limit", request.limit())
        .with("cursor", request.cursor())
        .madeBy((client, call) -> client.getTaskList(call.get("taskType"), page(call, "status")));
  }

  static Call<TaskPage> listOfUser(String userId, TaskPageRequest request) {
    return Call.to("/api/task/getUserTaskList", TaskPage.class)
        .with("userId", userId)
        .with("statusList", bitsOf(request))
        .with("limit", request.limit())
        .with("cursor", request.cursor())
        .madeBy(
            (client, call) -> client.getUserTaskList(call.get("userId"), page(call, "statusList")));
  }

  /** The statuses as bits; 0 for all. */
  private static int bitsOf(TaskPageRequest request) {
    return request.statuses().stream().mapToInt(TaskStatus::code).sum();
  }

  private static TaskPageRequest page(Call<?> call, String statuses) {
    int bits = call.get(statuses);
    Set<TaskStatus> which = bits == 0 ? Set.of() : TaskStatus.ofBits(bits);
    return new TaskPageRequest(which, call.get("limit"), call.get("cursor"));
  }

  /** The method of a client for an act of an operator. */
  private interface Act {
    void on(FlowClient client, Call<?> call, String taskId, String operator, String reason);
  }

  private static Call<Void> madeBy(Act method, Call<Void> act) {
    return act.madeBy(
        (client, call) -> {
          method.on(client, call, call.get("taskId"), call.get("operator"), call.get("reason"));
          return null;
        });
  }

  static Call<Void> cancel(String taskId, String operator, String reason) {
    return madeBy(
        (client, call, id, by, why) -> client.cancelTask(id, by, why),
        Call.to(TaskAct.CANCEL, taskId).by(operator, reason));
  }

  static Call<Void> setWorkers(
      String taskId, List<String> workerIds, String operator, String reason) {
    return madeBy(
        (client, call, id, by, why) -> client.setWorkers(id, call.get("workerIds"), by, why),
        Call.to(TaskAct.SET_WORKERS, taskId).with("workerIds", workerIds).by(operator, reason));
  }

  static Call<Void> restart(String taskId, String operator, String reason) {
    return madeBy(
        (client, call, id, by, why) -> client.restartTask(id, by, why),
        Call.to(TaskAct.RESTART, taskId).by(operator, reason));
  }

  static Call<Void> pause(String taskId, boolean stop, String operator, String reason) {
    return madeBy(
        (client, call, id, by, why) -> client.pauseTask(id, call.get("stop") != null, by, why),
        Call.to(TaskAct.PAUSE, taskId).with("stop", stop ? 1 : null).by(operator, reason));
  }

  static Call<Void> resume(String taskId, String operator, String reason) {
    return madeBy(
        (client, call, id, by, why) -> client.resumeTask(id, by, why),
        Call.to(TaskAct.RESUME, taskId).by(operator, reason));
  }

  static Call<String> retry(String taskId, String operator, String reason) {
    return Call.to(TaskAct.RETRY.path(), TASK_ID)
        .with("taskId", taskId)
        .by(operator, reason)
        .madeBy(
            (client, call) ->
                client.retryTask(call.get("taskId"), call.get("operator"), call.get("reason")));
  }

  static Call<HoldAnswer> hold(HoldRequest request) {
    long waitMs = request.waitMs() == null ? 0 : request.waitMs();
    return Call.to("/api/task/hold_task", HELD)
        .withBody(request)
        .waiting(Duration.ofMillis(waitMs))
        .madeBy((client, call) -> client.hold((HoldRequest) call.body()));
  }

  /** As a hold alone it waits longer, because an old server may park it. */
  static Call<HoldAnswer> hold(HoldRequest request, List<Report> reports) {
    return hold(request)
        .with("reports", reports)
        .madeBy((client, call) -> client.hold((HoldRequest) call.body(), call.get("reports")));
  }

  static Call<List<ReportResult>> report(List<Report> reports) {
    return Call.to("/api/task/set_tasks", OUTCOMES)
        .with("reports", reports)
        .madeBy((client, call) -> client.report(call.get("reports")));
  }

  static Call<HeartbeatAnswer> heartbeat(Heartbeat heartbeat) {
    return Call.to("/api/worker/heartbeat", HeartbeatAnswer.class)
        .withBody(heartbeat)
        .madeBy((client, call) -> client.heartbeat((Heartbeat) call.body()));
  }

  static Call<List<TaskTypeSettings>> types(Duration maxAge) {
    return Call.to("/api/task_schedule_cfg/list", TASK_TYPES)
        .with("maxAgeMs", maxAge.toMillis())
        .madeBy((client, call) -> client.taskTypes(Duration.ofMillis(call.get("maxAgeMs"))));
  }

  static Call<Void> saveType(TaskTypeChange change) {
    return Call.to("/api/task_schedule_cfg/save")
        .withBody(change)
        .madeBy(
            (client, call) -> {
              TaskTypeChange made = (TaskTypeChange) call.body();
              client.saveTaskType(made.settings(), made.removed(), made.operator(), made.reason());
              return null;
            });
  }

  private record TaskIdResult(String taskId) {}

  private record CreatedTasks(List<String> taskIds, List<CreateOutcome> outcomes) {

    List<CreateResult> results() {
      List<CreateResult> results = new ArrayList<>(taskIds.size());
      for (int i = 0; i < taskIds.size(); i++) {
        results.add(new CreateResult(taskIds.get(i), outcomes.get(i)));
      }
      return results;
    }
  }

  private record TaskResult(Task taskData) {}

  private record HoldResult(
      List<Task> taskList,
      List<ReportResult> outcomes,
      Boolean drain,
      Long drainGraceMs,
      Integer minWorkerVersion,
      Boolean paused) {

    HoldAnswer answer() {
      return new HoldAnswer(
          orEmpty(taskList),
          orEmpty(outcomes),
          Boolean.TRUE.equals(drain), // absent means false
          drainGraceMs,
          minWorkerVersion,
          Boolean.TRUE.equals(paused));
    }
  }

  private record OutcomesResult(List<ReportResult> outcomes) {}

  private record TaskTypesResult(List<TaskTypeSettings> scheduleCfgList) {}

  private static <T> List<T> orEmpty(List<T> list) {
    return list == null ? List.of() : list;
  }
}
