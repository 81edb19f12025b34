package io.asyncflow.api;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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
    return Call.to("/api/task/createTask", CreateResult.class).with("taskData", task);
  }

  static Call<List<CreateResult>> create(List<NewTask> tasks) {
    return Call.to("/api/task/createTasks", CREATED_TASKS).with("taskDataList", tasks);
  }

  static Call<Task> get(String taskId) {
    return Call.to("/api/task/getTask", TASK).with("taskId", taskId);
  }

  static Call<Task> get(String taskType, String idempotencyKey) {
    return Call.to("/api/task/getTask", TASK)
        .with("taskType", taskType)
        .with("idempotencyKey", idempotencyKey);
  }

  static Call<TaskPage> list(String taskType, TaskPageRequest request) {
    return Call.to("/api/task/getTaskList", TaskPage.class)
        .with("taskType", taskType)
        .with("status", bitsOf(request))
        .with("limit", request.limit())
        .with("cursor", request.cursor());
  }

  static Call<TaskPage> listOfUser(String userId, TaskPageRequest request) {
    return Call.to("/api/task/getUserTaskList", TaskPage.class)
        .with("userId", userId)
        .with("statusList", bitsOf(request))
        .with("limit", request.limit())
        .with("cursor", request.cursor());
  }

  /** The statuses as bits; 0 for all. */
  private static int bitsOf(TaskPageRequest request) {
    return request.statuses().stream().mapToInt(TaskStatus::code).sum();
  }

  static Call<Void> cancel(String taskId, String operator, String reason) {
    return Call.to(TaskAct.CANCEL, taskId).by(operator, reason);
  }

  static Call<String> retry(String taskId, String operator, String reason) {
    return Call.to(TaskAct.RETRY.path(), TASK_ID).with("taskId", taskId).by(operator, reason);
  }

  static Call<HoldAnswer> hold(HoldRequest request) {
    long waitMs = request.waitMs() == null ? 0 : request.waitMs();
    return Call.to("/api/task/hold_task", HELD)
        .withBody(request)
        .waiting(Duration.ofMillis(waitMs));
  }

  /** As a hold alone it waits longer, because an old server may park it. */
  static Call<HoldAnswer> hold(HoldRequest request, List<Report> reports) {
    return hold(request).with("reports", reports);
  }

  static Call<List<ReportResult>> report(List<Report> reports) {
    return Call.to("/api/task/set_tasks", OUTCOMES).with("reports", reports);
  }

  static Call<HeartbeatAnswer> heartbeat(Heartbeat heartbeat) {
    return Call.to("/api/worker/heartbeat", HeartbeatAnswer.class).withBody(heartbeat);
  }

  static Call<List<TaskTypeSettings>> types(Duration maxAge) {
    return Call.to("/api/task_schedule_cfg/list", TASK_TYPES).with("maxAgeMs", maxAge.toMillis());
  }

  static Call<Void> saveType(TaskTypeChange change) {
    return Call.to("/api/task_schedule_cfg/save").withBody(change);
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
