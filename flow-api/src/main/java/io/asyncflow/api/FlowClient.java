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
 * thread-safe. A client that wraps another one extends {@link ForwardingFlowClient}.
 */
public interface FlowClient {

  /** Creates a task, or does with the task that stands under its key what the task asks for. */
  CreateResult create(NewTask task);

  /** The same for 1 to 1,000 tasks, all or none. The results are in the order of the tasks. */
  List<CreateResult> create(List<NewTask> tasks);

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
  Task getTask(String taskId);

  /**
   * Reads the task that stands under an idempotency key.
   *
   * @param taskType matched without regard to case
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if none does, with {@link
   *     ErrorCode#NO_SUCH_TASK_TYPE} if there is no such type
   */
  Task getTask(String taskType, String idempotencyKey);

  /**
   * A page of the tasks of one type, newest first.
   *
   * @param taskType matched without regard to case
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK_TYPE} if there is none
   */
  TaskPage getTaskList(String taskType, TaskPageRequest request);

  /** A page of the tasks of one user, whatever their type, newest first. */
  TaskPage getUserTaskList(String userId, TaskPageRequest request);

  /**
   * Cancels a task at once; does nothing if the task is cancelled already. The worker that holds
   * the task learns of it from its next heartbeat, and its report is refused.
   *
   * @param operator recorded in the audit log, at most 128 characters; {@code null} for none
   * @param reason recorded in the audit log, at most 1,000 characters; {@code null} for none
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none, with {@link
   *     ErrorCode#TRANSITION_NOT_ALLOWED} if it has succeeded or failed
   */
  void cancelTask(String taskId, String operator, String reason);

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
  String retryTask(String taskId, String operator, String reason);

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
  void setWorkers(String taskId, List<String> workerIds, String operator, String reason);

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
  void restartTask(String taskId, String operator, String reason);

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
  void pauseTask(String taskId, boolean stop, String operator, String reason);

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
  void resumeTask(String taskId, String operator, String reason);

  /** Lets a paused task wait again, without an operator and a reason. */
  default void resumeTask(String taskId) {
    resumeTask(taskId, null, null);
  }

  /** Holds due tasks. May block for {@code waitMs}; the answer is empty if no task became due. */
  HoldAnswer hold(HoldRequest request);

  /**
   * Reports ends of holds, then holds due tasks, in one round trip. Never blocks for {@code
   * waitMs}. If the call fails, the reports may have been accepted: repeat them, with this method
   * or with {@link #report}.
   *
   * @param reports 1 to 1,000
   */
  HoldAnswer hold(HoldRequest request, List<Report> reports);

  /** As {@link #hold(HoldRequest)}, but returns the tasks alone. */
  default List<Task> holdTasks(HoldRequest request) {
    return hold(request).tasks();
  }

  /**
   * Reports 1 to 1,000 ends of holds. The results are in the order of the reports; a refusal is a
   * result.
   */
  List<ReportResult> report(List<Report> reports);

  /** Reports that the worker is alive and renews the leases of its tasks. */
  HeartbeatAnswer heartbeat(Heartbeat heartbeat);

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
  List<TaskTypeSettings> taskTypes(Duration maxAge);

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
  void saveTaskType(
      TaskTypeSettings settings,
      Set<TaskTypeSettings.Removable> removed,
      String operator,
      String reason);

  /**
   * Calls that do not wait. Those of {@link HttpFlowClient}, and of a {@link
   * io.asyncflow.api.codec.SealingFlowClient} around one, take no thread and belong to the trace of
   * the thread that makes them. Those of other clients take a thread each while they are under way,
   * and that thread is in no trace.
   */
  default AsyncFlowClient async() {
    return new ThreadedFlowClient(this);
  }

  /** The calls about jobs. */
  JobClient jobs();

  /**
   * The calls about schedules.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default ScheduleClient schedules() {
    throw new UnsupportedOperationException(getClass().getName() + " keeps no schedules");
  }

  /**
   * The calls about events.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default EventClient events() {
    throw new UnsupportedOperationException(getClass().getName() + " keeps no events");
  }

  /**
   * The calls about hooks.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default HookClient hooks() {
    throw new UnsupportedOperationException(getClass().getName() + " keeps no hooks");
  }

  /**
   * The calls about pauses of types, stages and workers.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default PauseClient pauses() {
    throw new UnsupportedOperationException(getClass().getName() + " keeps no pauses");
  }

  /**
   * The calls about the tables of task types.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default TableClient tables() {
    throw new UnsupportedOperationException(getClass().getName() + " knows no tables");
  }

  /**
   * The calls about workers.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default WorkerClient workers() {
    throw new UnsupportedOperationException(getClass().getName() + " knows no workers");
  }

  /**
   * The calls about access keys.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default KeyClient keys() {
    throw new UnsupportedOperationException(getClass().getName() + " keeps no access keys");
  }

  /**
   * The calls about the record of acts.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default ActClient acts() {
    throw new UnsupportedOperationException(getClass().getName() + " keeps no record of acts");
  }

  /**
   * The calls about numbers.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default StatsClient stats() {
    throw new UnsupportedOperationException(getClass().getName() + " has no numbers");
  }

  /**
   * The calls that find tasks and say why they do not run.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default FindClient find() {
    throw new UnsupportedOperationException(getClass().getName() + " finds no tasks");
  }

  /**
   * The calls that steer a single task.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default SteerClient steer() {
    throw new UnsupportedOperationException(getClass().getName() + " steers no tasks");
  }

  /**
   * The calls that act on all tasks that match a search.
   *
   * @throws UnsupportedOperationException if this client makes none
   */
  default BulkClient bulk() {
    throw new UnsupportedOperationException(getClass().getName() + " makes no bulks");
  }

  /** The calls about the context store. */
  StoreClient store();
}
