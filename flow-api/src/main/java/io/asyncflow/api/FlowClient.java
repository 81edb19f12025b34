package io.asyncflow.api;

import java.time.Duration;
import java.util.List;

/**
 * flowsvr's contract as method calls.
 *
 * <p>Every method throws {@link FlowUnreachableException} when no usable answer came (the call may
 * have taken effect: repeat it with the same key, hold id or report id) and a {@link FlowException}
 * with the server's code when it was refused. Implementations are thread-safe; one that adds
 * something to another client extends {@link ForwardingFlowClient}.
 */
public interface FlowClient {

  /** Creates a task and returns its id. */
  String createTask(NewTask task);

  /** Creates 1 to 1,000 tasks, all or none, and returns their ids in order. */
  List<String> createTasks(List<NewTask> tasks);

  /**
   * Reads a task.
   *
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none
   */
  Task getTask(String taskId);

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
   * Cancels a task at once; of one that is cancelled, nothing. Who holds it is told so by its next
   * heartbeat, and what it reports is refused.
   *
   * @param operator for the record, at most 128 characters; {@code null} for nobody
   * @param reason for the record, at most 1,000 characters; {@code null} for none
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none, with {@link
   *     ErrorCode#TRANSITION_NOT_ALLOWED} if it has succeeded or failed
   */
  void cancelTask(String taskId, String operator, String reason);

  /** Cancels a task without a word on who and why. */
  default void cancelTask(String taskId) {
    cancelTask(taskId, null, null);
  }

  /**
   * Runs a failed or cancelled task again, from the stage that it stopped at and with a fresh
   * budget of retries.
   *
   * <p>Once it waits again a repeat is refused, so after an answer that was lost {@link #getTask}
   * says what became of it.
   *
   * @param operator for the record, at most 128 characters; {@code null} for nobody
   * @param reason for the record, at most 1,000 characters; {@code null} for none
   * @return the id to look at from now on: another one where the task was so old that it was copied
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none, with {@link
   *     ErrorCode#TRANSITION_NOT_ALLOWED} if it has neither failed nor been cancelled
   */
  String retryTask(String taskId, String operator, String reason);

  /** Runs a task again without a word on who and why. */
  default String retryTask(String taskId) {
    return retryTask(taskId, null, null);
  }

  /** Holds due tasks; may block for {@code waitMs}; empty when none became due. */
  HoldAnswer hold(HoldRequest request);

  /**
   * Reports ends of holds, and then holds due tasks, in one round trip. Never blocks for {@code
   * waitMs}. If it fails the reports may have been taken: repeat them, here or by {@link #report}.
   *
   * @param reports 1 to 1,000
   */
  HoldAnswer hold(HoldRequest request, List<Report> reports);

  /** As {@link #hold(HoldRequest)}, for who asks for nothing but the tasks. */
  default List<Task> holdTasks(HoldRequest request) {
    return hold(request).tasks();
  }

  /** Reports 1 to 1,000 ends of holds; the results are in order, refusals among them. */
  List<ReportResult> report(List<Report> reports);

  /** Tells that the worker lives and renews the leases of what it holds. */
  HeartbeatAnswer heartbeat(Heartbeat heartbeat);

  /** The configuration of every task type, as it is in the database. */
  default List<TaskTypeSettings> taskTypes() {
    return taskTypes(Duration.ZERO);
  }

  /**
   * The same, for many who ask again and again: those of a server share what it has read.
   *
   * @param maxAge how old the answer may be, at most a minute; in whole milliseconds
   */
  List<TaskTypeSettings> taskTypes(Duration maxAge);

  /** Creates or changes a task type. */
  void saveTaskType(TaskTypeSettings settings);

  /** The calls about jobs. */
  JobClient jobs();

  /** The calls about the context store. */
  StoreClient store();
}
