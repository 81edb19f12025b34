package io.asyncflow.flowsvr.job.core;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.db.AfterCommit;
import io.asyncflow.flowsvr.task.TaskLedger;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.ScheduleLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Writes the counts of {@code t_job} and the states that follow from them. Only this class moves a
 * job because its tasks ended.
 *
 * <p>It writes in the transaction that makes tasks final, with one UPDATE for each job and batch.
 * That UPDATE also decides on the state: the transaction of the last child completes the job, on
 * whichever server it runs. So a crash leaves either both changes or none.
 */
@Component
@Order(TaskLedger.JOBS)
public class JobCountStore implements TaskLedger {

  // state comes first: assignments are evaluated from left to right, so it reads the old counts.
  // A team goes on after a failure, because the copy may move to another worker; see END_TEAM.
  private static final String COUNT =
      sql(
          """
      UPDATE t_job
      SET state = CASE
            WHEN state = 'RUNNING' AND done + :done = total
              THEN IF(merges = 1, 'MERGING', 'SUCCESS')
            WHEN state = 'RUNNING' AND team IS NOT NULL
              THEN 'RUNNING'
            WHEN state = 'RUNNING' AND done + failed + cancelled + :done + :failed + :cancelled = total
              THEN 'FAILED'
            WHEN state = 'RUNNING' AND fail_fast = 1 AND failed + cancelled + :failed + :cancelled > 0
              THEN 'STOPPING'
            WHEN state = 'STOPPING' AND total IS NOT NULL
                AND done + failed + cancelled + :done + :failed + :cancelled = released
              THEN stop_as
            ELSE state
          END,
          done = done + :done,
          failed = failed + :failed,
          cancelled = cancelled + :cancelled,
          end_time = IF(state IN ('SUCCESS', 'FAILED', 'CANCELLED'), COALESCE(end_time, now_ms), NULL),
          version = version + 1,
          modify_time = now_ms
      WHERE id = :id
        AND state <> 'SUCCESS'
      """);

  private static final String END_TEAM =
      sql(
          """
      UPDATE t_job
      SET state = IF(done + failed + cancelled = total, 'FAILED', 'STOPPING'),
          end_time = IF(state = 'FAILED', now_ms, NULL),
          version = version + 1,
          modify_time = now_ms
      WHERE id = :id
        AND version = :version
        AND state = 'RUNNING'
        AND failed + cancelled > 0
        AND (done + failed + cancelled = total OR fail_fast = 1)
      """);

  // A successful job keeps its state; an operator may still change the status of its children.
  private static final String COUNT_OF_SUCCESS =
      """
      UPDATE t_job
      SET done = done + :done,
          failed = failed + :failed,
          cancelled = cancelled + :cancelled,
          version = version + 1
      WHERE id = :id
        AND state = 'SUCCESS'
      """;

  // total comes before state, which reads it.
  private static final String SPLIT =
      sql(
          """
      UPDATE t_job
      SET total = IF(staged_epoch = :epoch, staged, 0),
          state = IF(state = 'STOPPING', stop_as,
            IF(total > 0, 'RUNNING', IF(merges = 1, 'MERGING', 'SUCCESS'))),
          end_time = IF(state IN ('SUCCESS', 'FAILED', 'CANCELLED'), now_ms, NULL),
          run_time = now_ms,
          run_base = 0,
          version = version + 1,
          modify_time = now_ms
      WHERE id = :id
        AND split_number = :number
        AND state IN ('SPLITTING', 'STOPPING')
        AND total IS NULL
      """);

  private static final String SPLIT_BROKE =
      sql(
          """
      UPDATE t_job
      SET state = IF(state = 'STOPPING', stop_as, :state),
          err_msg = :error,
          end_time = now_ms,
          version = version + 1,
          modify_time = now_ms
      WHERE id = :id
        AND split_number = :number
        AND state IN ('SPLITTING', 'STOPPING')
        AND total IS NULL
      """);

  private static final String MERGED =
      sql(
          """
      UPDATE t_job
      SET state = IF(state = 'STOPPING', stop_as, :state),
          result = IF(state = 'SUCCESS', :result, NULL),
          err_msg = IF(state = 'SUCCESS', NULL, :error),
          end_time = now_ms,
          version = version + 1,
          modify_time = now_ms
      WHERE id = :id
        AND merge_number = :number
        AND state IN ('MERGING', 'STOPPING')
      """);

  private static final String SPLIT_AGAIN =
      sql(
          """
      UPDATE t_job
      SET state = 'SPLITTING',
          pause = NULL,
          err_msg = NULL,
          end_time = NULL,
          version = version + 1,
          modify_time = now_ms
      WHERE id = :id
        AND split_number = :number
        AND state IN ('FAILED', 'CANCELLED')
        AND total IS NULL
      """);

  private static final String MERGE_AGAIN =
      sql(
          """
      UPDATE t_job
      SET state = 'MERGING',
          pause = NULL,
          result = NULL,
          err_msg = NULL,
          end_time = NULL,
          version = version + 1,
          modify_time = now_ms
      WHERE id = :id
        AND merge_number = :number
        AND state IN ('SUCCESS', 'FAILED', 'CANCELLED')
      """);

  private final JdbcClient jdbc;
  private final JobEvents jobEvents;
  private final Events events;

  JobCountStore(JdbcClient jdbc, JobEvents jobEvents, Events events) {
    this.jdbc = jdbc;
    this.jobEvents = jobEvents;
    this.events = events;
  }

  @Override
  public void record(List<Change> changes) {
    SortedMap<Long, JobCounts> deltas = new TreeMap<>();
    List<Change> coordinators = new ArrayList<>();
    for (Change change : changes) {
      if (change.place() == null || !change.isOfEnd()) {
        continue;
      }
      long jobId = change.place().jobId();
      if (change.place().isChild()) {
        deltas.merge(jobId, JobCounts.ofChange(change.from(), change.to()), JobCounts::plus);
      } else {
        coordinators.add(change);
      }
    }
    if (deltas.isEmpty() && coordinators.isEmpty()) {
      return;
    }
    SortedMap<Long, Runnable> updates = new TreeMap<>();
    deltas.forEach((jobId, delta) -> updates.put(jobId, () -> count(jobId, delta)));
    coordinators.forEach(
        change ->
            updates.merge(
                change.place().jobId(), () -> coordinate(change), JobCountStore::inSequence));
    announce(updates.keySet());
    jobEvents.with(
        updates.keySet(),
        () -> {
          updates.values().forEach(Runnable::run);
          return null;
        });
  }

  private static Runnable inSequence(Runnable first, Runnable next) {
    return () -> {
      first.run();
      next.run();
    };
  }

  /** Derives the state of a job from its present counts. */
  public void judge(long jobId) {
    announce(Set.of(jobId));
    jobEvents.with(jobId, () -> count(jobId, JobCounts.NONE));
  }

  /**
   * Ends a team of which no failed copy moves to another worker, if its policy says so: it has
   * failed, or its other copies are cancelled.
   *
   * @return false if it goes on, or has changed since it was read
   */
  public boolean endTeam(JobRow team) {
    boolean isEnded = jobEvents.with(team.id(), () -> end(team));
    if (isEnded) {
      announce(Set.of(team.id()));
    }
    return isEnded;
  }

  private boolean end(JobRow team) {
    return jdbc.sql(END_TEAM).param("id", team.id()).param("version", team.version()).update() == 1;
  }

  /**
   * Failed or cancelled children were replaced by new tasks.
   *
   * @param statuses the statuses of the replaced tasks
   */
  public void replaced(long jobId, List<TaskStatus> statuses) {
    announce(Set.of(jobId));
    JobCounts delta =
        statuses.stream()
            .map(status -> JobCounts.ofChange(status, TaskStatus.WAITING))
            .reduce(JobCounts.NONE, JobCounts::plus);
    jobEvents.with(jobId, () -> count(jobId, delta));
  }

  /** Returns whether there is such a job. */
  private boolean count(long jobId, JobCounts delta) {
    for (String statement : List.of(COUNT, COUNT_OF_SUCCESS)) {
      int counted =
          jdbc.sql(statement)
              .param("done", delta.done())
              .param("failed", delta.failed())
              .param("cancelled", delta.cancelled())
              .param("id", jobId)
              .update();
      if (counted == 1) {
        return true;
      }
    }
    return false;
  }

  private void coordinate(Change change) {
    boolean isSplit = change.place().index() == JobPlace.SPLIT;
    String statement;
    if (!change.to().isFinal()) {
      statement = isSplit ? SPLIT_AGAIN : MERGE_AGAIN;
    } else if (isSplit) {
      statement = change.to() == TaskStatus.SUCCESS ? SPLIT : SPLIT_BROKE;
    } else {
      statement = MERGED;
    }
    jdbc.sql(statement)
        .param("id", change.place().jobId())
        .param("number", change.id().number())
        .param("epoch", change.leaseEpoch())
        .param("state", change.to().name())
        .param("result", change.result())
        .param("error", change.to() == TaskStatus.FAILED ? errorOf(change) : null)
        .update();
  }

  private static String errorOf(Change change) {
    String error = ScheduleLog.last(change.scheduleLog()).error();
    return error == null ? change.id() + " failed" : error;
  }

  /** Publishes after the commit that these jobs have changed and may need a step. */
  private void announce(Set<Long> jobIds) {
    if (!TransactionSynchronizationManager.isSynchronizationActive()) {
      throw new IllegalStateException("a task of a job changed outside of a transaction");
    }
    JobsChanged event = new JobsChanged(Set.copyOf(jobIds));
    AfterCommit.run(() -> events.publish(event));
  }
}
