package io.asyncflow.api;

import io.asyncflow.api.act.ActClient;
import io.asyncflow.api.bulk.BulkClient;
import io.asyncflow.api.event.EventClient;
import io.asyncflow.api.find.FindClient;
import io.asyncflow.api.find.SteerClient;
import io.asyncflow.api.hook.HookClient;
import io.asyncflow.api.key.KeyClient;
import io.asyncflow.api.pause.PauseClient;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.stats.StatsClient;
import io.asyncflow.api.table.TableClient;
import io.asyncflow.api.worker.WorkerClient;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * flowsvr's contract as method calls.
 *
 * <p>Every method throws a {@link FlowUnreachableException} when no usable answer came (the call
 * may have taken effect: repeat it with the same key, hold id or report id) and a {@link
 * FlowException} with the server's code when the server refused the call. Implementations are
 * thread-safe. A client that wraps another one extends {@link ForwardingFlowClient}; one that
 * reaches its server in another way gives its {@link Transport} alone.
 */
public interface FlowClient {

  /** Creates a task, or does with the task that stands under its key what the task asks for. */
  default CreateResult create(NewTask task) {
    return transport().send(TaskCalls.create(task));
  }

  /** The same for 1 to 1,000 tasks, all or none. The results are in the order of the tasks. */
  default List<CreateResult> create(List<NewTask> tasks) {
    return transport().send(TaskCalls.create(tasks));
  }

  /**
   * The task as {@link #create(NewTask)} sends it, such as with its context sealed, to see how
   * large it is; nothing is sent.
   */
  default NewTask asSent(NewTask task) {
    return task;
  }

  /** As {@link #create(NewTask)}, but returns the id alone. */
  default String createTask(NewTask task) {
    return create(task).taskId();
  }

  /** As {@link #create(List)}, but returns the ids alone. */
  default List<String> createTasks(List<NewTask> tasks) {
    return create(tasks).stream().map(CreateResult::taskId).toList();
  }

  /**
   * Reads a task.
   *
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none
   */
  default Task getTask(String taskId) {
    return transport().send(TaskCalls.get(taskId));
  }

  /**
   * Reads the task that stands under an idempotency key.
   *
   * @param taskType matched without regard to case
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if none does, with {@link
   *     ErrorCode#NO_SUCH_TASK_TYPE} if there is no such type
   */
  default Task getTask(String taskType, String idempotencyKey) {
    return transport().send(TaskCalls.get(taskType, idempotencyKey));
  }

  /**
   * A page of the tasks of one type, newest first.
   *
   * @param taskType matched without regard to case
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK_TYPE} if there is none
   */
  default TaskPage getTaskList(String taskType, TaskPageRequest request) {
    return transport().send(TaskCalls.list(taskType, request));
  }

  /** A page of the tasks of one user, whatever their type, newest first. */
  default TaskPage getUserTaskList(String userId, TaskPageRequest request) {
    return transport().send(TaskCalls.listOfUser(userId, request));
  }

  /**
   * Cancels a task at once; does nothing if the task is cancelled already. The worker that holds
   * the task learns of it from its next heartbeat, and its report is refused.
   *
   * @param operator recorded in the audit log, at most 128 characters; {@code null} for none
   * @param reason recorded in the audit log, at most 1,000 characters; {@code null} for none
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none, with {@link
   *     ErrorCode#TRANSITION_NOT_ALLOWED} if it has succeeded or failed
   */
  default void cancelTask(String taskId, String operator, String reason) {
    transport().send(TaskCalls.cancel(taskId, operator, reason));
  }

  /** Cancels a task without an operator and a reason. */
  default void cancelTask(String taskId) {
    cancelTask(taskId, null, null);
  }

  /**
   * Runs a failed or cancelled task again, from the stage at which it stopped and with all its
   * retries.
   *
   * <p>A repeat is refused once the task waits again. After a lost answer, read the task with
   * {@link #getTask}.
   *
   * @param operator recorded in the audit log, at most 128 characters; {@code null} for none
   * @param reason recorded in the audit log, at most 1,000 characters; {@code null} for none
   * @return the task's id from now on; a new one if the task was so old that it was copied
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none, with {@link
   *     ErrorCode#TRANSITION_NOT_ALLOWED} if it has neither failed nor been cancelled
   */
  default String retryTask(String taskId, String operator, String reason) {
    return transport().send(TaskCalls.retry(taskId, operator, reason));
  }

  /** Runs a task again without an operator and a reason. */
  default String retryTask(String taskId) {
    return retryTask(taskId, null, null);
  }

  /**
   * Sets the workers that may hold a task. If another worker holds it, that hold ends: the worker
   * learns of it from its next heartbeat, its report is refused, and the task is due at once.
   *
   * @param workerIds at most 64; empty for all workers
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none, with {@link
   *     ErrorCode#TRANSITION_NOT_ALLOWED} if it is final
   */
  default void setWorkers(String taskId, List<String> workerIds, String operator, String reason) {
    transport().send(TaskCalls.setWorkers(taskId, workerIds, operator, reason));
  }

  /** Sets the workers that may hold a task without an operator and a reason. */
  default void setWorkers(String taskId, List<String> workerIds) {
    setWorkers(taskId, workerIds, null, null);
  }

  /**
   * Ends the hold of an executing task, which is due at once and may be held by any worker that
   * might hold it before. No retry is used up.
   *
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none, with {@link
   *     ErrorCode#TRANSITION_NOT_ALLOWED} if it is not executing
   */
  default void restartTask(String taskId, String operator, String reason) {
    transport().send(TaskCalls.restart(taskId, operator, reason));
  }

  /** Restarts a task without an operator and a reason. */
  default void restartTask(String taskId) {
    restartTask(taskId, null, null);
  }

  /**
   * Pauses a waiting task: no worker gets it until {@link #resumeTask}. Does nothing if it is
   * paused already.
   *
   * @param stop whether the hold of an executing task is ended: its worker learns of it from its
   *     next heartbeat, its report is refused, and no attempt is used up
   * @param operator recorded in the audit log, at most 128 characters; {@code null} for none
   * @param reason recorded in the audit log, at most 1,000 characters; {@code null} for none
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none, with {@link
   *     ErrorCode#TRANSITION_NOT_ALLOWED} if it has ended, or executes and {@code stop} is not set
   */
  default void pauseTask(String taskId, boolean stop, String operator, String reason) {
    transport().send(TaskCalls.pause(taskId, stop, operator, reason));
  }

  /** Pauses a waiting task without an operator and a reason. */
  default void pauseTask(String taskId) {
    pauseTask(taskId, false, null, null);
  }

  /**
   * Lets a paused task wait again, in its old place in the due order. Does nothing if it is not
   * paused.
   *
   * @param operator recorded in the audit log, at most 128 characters; {@code null} for none
   * @param reason recorded in the audit log, at most 1,000 characters; {@code null} for none
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none, with {@link
   *     ErrorCode#TRANSITION_NOT_ALLOWED} if it has ended
   */
  default void resumeTask(String taskId, String operator, String reason) {
    transport().send(TaskCalls.resume(taskId, operator, reason));
  }

  /** Lets a paused task wait again, without an operator and a reason. */
  default void resumeTask(String taskId) {
    resumeTask(taskId, null, null);
  }

  /** Holds due tasks. May block for {@code waitMs}; the answer is empty if no task became due. */
  default HoldAnswer hold(HoldRequest request) {
    return transport().send(TaskCalls.hold(request));
  }

  /**
   * Reports ends of holds, then holds due tasks, in one round trip. Never blocks for {@code
   * waitMs}. If the call fails, the reports may have been accepted: repeat them, with this method
   * or with {@link #report}.
   *
   * @param reports 1 to 1,000
   */
  default HoldAnswer hold(HoldRequest request, List<Report> reports) {
    return transport().send(TaskCalls.hold(request, reports));
  }

  /** As {@link #hold(HoldRequest)}, but returns the tasks alone. */
  default List<Task> holdTasks(HoldRequest request) {
    return hold(request).tasks();
  }

  /**
   * Reports 1 to 1,000 ends of holds. The results are in the order of the reports; a refusal is a
   * result.
   */
  default List<ReportResult> report(List<Report> reports) {
    return transport().send(TaskCalls.report(reports));
  }

  /** Reports that the worker is alive and renews the leases of its tasks. */
  default HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    return transport().send(TaskCalls.heartbeat(heartbeat));
  }

  /** The configuration of every task type, read from the database. */
  default List<TaskTypeSettings> taskTypes() {
    return taskTypes(Duration.ZERO);
  }

  /**
   * The configuration of every task type, possibly from the server's cache; for callers that ask
   * often.
   *
   * @param maxAge how old the answer may be, in whole milliseconds; at most a minute
   */
  default List<TaskTypeSettings> taskTypes(Duration maxAge) {
    return transport().send(TaskCalls.types(maxAge));
  }

  /** Creates or changes a task type. */
  default void saveTaskType(TaskTypeSettings settings) {
    saveTaskType(settings, Set.of());
  }

  /** As {@link #saveTaskType(TaskTypeSettings, Set, String, String)}, without a reason. */
  default void saveTaskType(TaskTypeSettings settings, Set<TaskTypeSettings.Removable> removed) {
    saveTaskType(settings, removed, null, null);
  }

  /**
   * Creates or changes a task type, and takes away settings that it need not have.
   *
   * @param removed {@code null} from now on; so they are not among the settings
   * @param operator recorded with the act; {@code null} for none
   * @param reason recorded with the act; {@code null} for none
   */
  default void saveTaskType(
      TaskTypeSettings settings,
      Set<TaskTypeSettings.Removable> removed,
      String operator,
      String reason) {
    transport().send(TaskCalls.saveType(new TaskTypeChange(settings, removed, operator, reason)));
  }

  /**
   * Calls that do not wait. Those of {@link HttpFlowClient}, and of a {@link
   * io.asyncflow.api.codec.SealingFlowClient} around one, take no thread and belong to the trace of
   * the thread that makes them. Those of other clients take a thread each while they are under way,
   * and that thread is in no trace.
   */
  default AsyncFlowClient async() {
    return new AsyncFlowClient(MethodTransport.of(this));
  }

  /** The calls about jobs. */
  default JobClient jobs() {
    return new JobClient(transport());
  }

  /** The calls about schedules. */
  default ScheduleClient schedules() {
    return new ScheduleClient(transport());
  }

  /** The calls about events. */
  default EventClient events() {
    return new EventClient(transport());
  }

  /** The calls about hooks. */
  default HookClient hooks() {
    return new HookClient(transport());
  }

  /** The calls about pauses of types, stages and workers. */
  default PauseClient pauses() {
    return new PauseClient(transport());
  }

  /** The calls about the tables of task types. */
  default TableClient tables() {
    return new TableClient(transport());
  }

  /** The calls about workers. */
  default WorkerClient workers() {
    return new WorkerClient(transport());
  }

  /** The calls about access keys. */
  default KeyClient keys() {
    return new KeyClient(transport());
  }

  /** The calls about the record of acts. */
  default ActClient acts() {
    return new ActClient(transport());
  }

  /** The calls about numbers. */
  default StatsClient stats() {
    return new StatsClient(transport());
  }

  /** The calls that find tasks and say why they do not run. */
  default FindClient find() {
    return new FindClient(transport());
  }

  /** The calls that steer a single task. */
  default SteerClient steer() {
    return new SteerClient(transport());
  }

  /** The calls that act on all tasks that match a search. */
  default BulkClient bulk() {
    return new BulkClient(transport());
  }

  /** The calls about the context store. */
  StoreClient store();

  /**
   * How the calls of this client, and of its parts, such as {@link #jobs()}, are sent. A client
   * that wraps another one changes them by a transport around that of {@link ForwardingFlowClient}.
   */
  Transport transport();
}
