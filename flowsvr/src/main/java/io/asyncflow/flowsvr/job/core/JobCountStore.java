package io.asyncflow.flowsvr.job.core;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.toList;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.task.TaskLedger;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.ScheduleLog;
import io.asyncflow.rules.TaskTransition;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

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

  // The state comes first, so it reads the old counts. A team goes on after a failure, because the
  // copy may move to another worker; see endTeam.
  private static final String COUNT =
      """
      state = CASE
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
      cancelled = cancelled + :cancelled\
      """;

  // total comes before state, which reads it.
  private static final String SPLIT =
      """
      total = IF(staged_epoch = :epoch, staged, 0),
      state = IF(state = 'STOPPING', stop_as,
        IF(total > 0, 'RUNNING', IF(merges = 1, 'MERGING', 'SUCCESS'))),
      run_time = now_ms,
      run_base = 0\
      """;

  private static final String END =
      """
      state = IF(state = 'STOPPING', stop_as, :state),
      result = IF(state = 'SUCCESS', :result, NULL),
      err_msg = IF(state = 'SUCCESS', NULL, :error)\
      """;

  private static final String AGAIN =
      """
      state = :again,
      pause = NULL,
      result = NULL,
      err_msg = NULL\
      """;

  private final JobStore jobs;
  private final JobEvents jobEvents;

  JobCountStore(JobStore jobs, JobEvents jobEvents) {
    this.jobs = jobs;
    this.jobEvents = jobEvents;
  }

  @Override
  public void record(List<TaskTransition> changes) {
    Map<Long, List<TaskTransition>> byJob =
        changes.stream()
            .filter(change -> change.after().place() != null && change.isOfEnd())
            .collect(groupingBy(change -> change.after().place().jobId(), TreeMap::new, toList()));
    if (!byJob.isEmpty()) {
      jobEvents.change(
          byJob.keySet(),
          ended -> {
            byJob.forEach((jobId, ofJob) -> record(jobId, ofJob, ended));
            return true;
          });
    }
  }

  private void record(long jobId, List<TaskTransition> changes, Collection<Long> ended) {
    Map<Boolean, List<TaskTransition>> byChild =
        changes.stream().collect(partitioningBy(change -> change.after().place().isChild()));
    if (!byChild.get(true).isEmpty()) {
      count(jobId, JobCounts.ofChanges(byChild.get(true)), "TRUE", ended);
    }
    byChild.get(false).forEach(change -> coordinate(jobId, change, ended));
  }

  /** Derives the state of a job that has not ended from its present counts. */
  public void judge(long jobId) {
    jobEvents.change(jobId, ended -> count(jobId, JobCounts.NONE, "end_time IS NULL", ended));
  }

  /**
   * Ends a team of which no failed copy moves to another worker, if its policy says so: it has
   * failed, or its other copies are cancelled.
   *
   * @return false if it goes on, or has changed since it was read
   */
  public boolean endTeam(JobRow team) {
    return jobEvents.change(
        team.id(),
        ended ->
            jobs.change(
                team.id(),
                "state = IF(done + failed + cancelled = total, 'FAILED', 'STOPPING')",
                """
                version = :version
                AND state = 'RUNNING'
                AND failed + cancelled > 0
                AND (done + failed + cancelled = total OR fail_fast = 1)
                """,
                Map.of("version", team.version()),
                ended));
  }

  /** Returns whether there is such a job. */
  private boolean count(long jobId, JobCounts delta, String guard, Collection<Long> ended) {
    return jobs.change(
        jobId,
        COUNT,
        guard,
        Map.of("done", delta.done(), "failed", delta.failed(), "cancelled", delta.cancelled()),
        ended);
  }

  private void coordinate(long jobId, TaskTransition change, Collection<Long> ended) {
    boolean isSplit = change.after().place().index() == JobPlace.SPLIT;
    boolean isEnd = change.after().status().isFinal();
    String states = isSplit ? "'SPLITTING', 'STOPPING'" : "'MERGING', 'STOPPING'";
    Map<String, Object> params = new HashMap<>();
    params.put("number", change.after().id().number());
    params.put("epoch", change.after().leaseEpoch());
    params.put("state", change.after().status().name());
    params.put("again", isSplit ? "SPLITTING" : "MERGING");
    params.put("result", change.after().result());
    params.put("error", change.after().status() == TaskStatus.FAILED ? errorOf(change) : null);
    jobs.change(
        jobId,
        !isEnd ? AGAIN : isSplit && change.after().status() == TaskStatus.SUCCESS ? SPLIT : END,
        (isSplit ? "split_number = :number AND total IS NULL" : "merge_number = :number")
            + "\nAND state IN (%s)".formatted(isEnd ? states : "'SUCCESS', 'FAILED', 'CANCELLED'"),
        params,
        ended);
  }

  private static String errorOf(TaskTransition change) {
    String error = ScheduleLog.last(change.after().scheduleLog()).error();
    return error == null ? change.after().id() + " failed" : error;
  }
}
